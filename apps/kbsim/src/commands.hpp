#pragma once

#include <string>
#include <vector>

#include "kbsim/base/error.hpp"

namespace kbsim::app {

using Arguments = std::vector<std::string>;

/// A subcommand: its line in `kbsim --help`, and its function for the arguments after its name.
struct Command {
  std::string name;
  std::string doc;
  ExitCode (*run)(const Arguments& arguments);
};
[[nodiscard]] const std::vector<Command>& commands();
/// UsageError with the nearest name if the name isn't known.
[[nodiscard]] const Command& command_named(const std::string& name);
/// True if the first word names the command with this function: is_command(words, run_bench).
[[nodiscard]] bool is_command(const Arguments& words, ExitCode (*run)(const Arguments&));

ExitCode run_bench(const Arguments& arguments);
ExitCode explain_bench(const Arguments& arguments);
ExitCode list(const Arguments& arguments);
ExitCode describe_topology(const Arguments& arguments);
ExitCode traffic(const Arguments& arguments);
ExitCode probe(const Arguments& arguments);
ExitCode replay_log(const Arguments& arguments);
ExitCode fit(const Arguments& arguments);
ExitCode correlate(const Arguments& arguments);
ExitCode import_file(const Arguments& arguments);
ExitCode whatif(const Arguments& arguments);
ExitCode diff(const Arguments& arguments);
ExitCode solve(const Arguments& arguments);
ExitCode sweep_command(const Arguments& arguments);
ExitCode ccl_plans(const Arguments& arguments);
ExitCode check(const Arguments& arguments);
ExitCode report_folder(const Arguments& arguments);
ExitCode show_help(const Arguments& arguments);
ExitCode show_version(const Arguments& arguments);
ExitCode completion(const Arguments& arguments);

}  // namespace kbsim::app
