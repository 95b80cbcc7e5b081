#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options/options_description.hpp>

#include "commands.hpp"

namespace kbsim::app {

/// What is known of a command or a bench before it runs. For --help a command throws it, to whoever shows it.
struct Help {
  std::string name = {};  // "--bench ccl"; of a command its caller's matter
  std::string usage;
  std::string doc = {};  // a sentence more, of a bench
  boost::program_options::options_description options;
  std::string more;             // examples
  std::string positional = {};  // the option that may be given without its name
  bool takes_run = false;       // arguments of kbsim run are its own, too
};

/// A command's or a bench's help, by its name.
struct Page {
  std::string name;
  std::string doc;
  Help help;
};
/// Of all commands that there are, and of all benches and evaluations. None of them does its work.
[[nodiscard]] std::vector<Page> command_pages();
[[nodiscard]] std::vector<Page> bench_pages();

/// Exit codes and their meanings, as text and man page have them.
struct ExitMeaning {
  int code;
  std::string_view means;
};
[[nodiscard]] const std::vector<ExitMeaning>& exit_meanings();

/// What a command shows for --help; Unsupported for one that isn't there yet.
[[nodiscard]] Help help_of(const Command& command);
[[nodiscard]] bool is_bench(const std::string& name);
/// UsageError if something else is registered by that name, a kernel for instance.
void require_no_part(const std::string& name);
/// Throws UsageError with the nearest name, and with what brings benches of one's own.
[[noreturn]] void refuse_bench(const std::string& name);
/// The help of a bench: its own options. UsageError with the nearest name for one that isn't known.
[[nodiscard]] Help help_of_bench(const std::string& name);

/// As wide as stdout, if that is a terminal.
[[nodiscard]] std::string to_text(const Help& help);
/// All commands, a line each.
[[nodiscard]] std::string overview();
/// The manual page, for man(1).
[[nodiscard]] std::string man_page();

}  // namespace kbsim::app
