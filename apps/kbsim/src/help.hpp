#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options/options_description.hpp>

#include "commands.hpp"
#include "parse_options.hpp"

namespace kbsim::app {

/// Help of a command or a bench, known before it runs. A command throws it for --help; its caller prints it.
struct Help {
  std::string name = {};  // "--bench ccl"; for a command, set by its caller
  std::string usage;
  std::string doc = {};  // one more sentence, for a bench
  boost::program_options::options_description options;
  std::vector<OptionGroup> groups = {};  // in the order of the options; none: the page has a single list
  std::string more;                      // examples
  std::string positional = {};           // the option that may be given without its name
  bool takes_run = false;                // it also takes arguments of kbsim run
};

/// A command's or a bench's help, by its name.
struct Page {
  std::string name;
  std::string doc;
  Help help;
};
/// Pages of all commands, and of all benches and evaluations. No command or bench does its work.
[[nodiscard]] std::vector<Page> command_pages();
[[nodiscard]] std::vector<Page> bench_pages();

/// Exit codes and their meanings, for the help text and the manual page.
struct ExitMeaning {
  int code;
  std::string_view means;
};
[[nodiscard]] const std::vector<ExitMeaning>& exit_meanings();

/// The help that a command shows for --help; Unsupported for a command that isn't implemented yet.
[[nodiscard]] Help help_of(const Command& command);
[[nodiscard]] bool is_bench(const std::string& name);
/// UsageError if a thing of another kind, a kernel for instance, is registered by that name.
void require_no_part(const std::string& name);
/// Throws UsageError with the nearest name, and with the option that loads the user's own benches.
[[noreturn]] void refuse_bench(const std::string& name);
/// The help of a bench: its own options. UsageError with the nearest name if the bench isn't known.
[[nodiscard]] Help help_of_bench(const std::string& name);

/// Lines are as wide as stdout, if that is a terminal.
[[nodiscard]] std::string to_text(const Help& help);
/// All commands, one line each.
[[nodiscard]] std::string overview();
/// The manual page, for man(1).
[[nodiscard]] std::string man_page();

}  // namespace kbsim::app
