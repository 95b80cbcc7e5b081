#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "kbsim/base/names.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/base/thrown.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "commands.hpp"
#include "help.hpp"
#include "parse_options.hpp"
#include "plugins.hpp"
#include "profile_option.hpp"
#include "streams.hpp"

namespace kbsim::app {
namespace {

ExitCode run(const Command& command, const Arguments& arguments) {
  try {
    return command.run(arguments);
  } catch (Help& help) {
    if (help.name.empty()) help.name = "kbsim " + command.name;
    std::cout << to_text(help);
    return ExitCode::ok;
  }
}

// Runs the command that the first argument names, in any form.
ExitCode dispatch(Arguments arguments) {
  if (arguments.empty()) {
    std::cout << overview();
    return ExitCode::usage;
  }
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "--help" || name == "-h") return run(command_named("help"), arguments);
  if (name == "--version") return run(command_named("version"), arguments);
  if (!name.starts_with('-')) return run(command_named(name), arguments);
  arguments.insert(arguments.begin(), name);
  return run(command_named("run"), arguments);
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"run", "run a bench (the default command)", run_bench},
      {"explain", "run a bench, and say why it takes as long as it does (run --explain)", explain_bench},
      {"whatif", "a run with other settings, each beside the run as it is, and bounds", whatif},
      {"solve", "the cheapest setting that meets a target, or how many slots an algorithm needs", solve},
      {"diff", "what differs between two runs, what got slower first, or between two sweeps", diff},
      {"list", "benches, kernels, algorithms, topologies, component models", list},
      {"probe", "latency and bandwidth of single paths, alone and under contention", probe},
      {"traffic", "traffic on a part of the fabric, synthetic or recorded, and load-latency curves", traffic},
      {"topology", "check, describe and draw a topology file", describe_topology},
      {"correlate", "simulated times against a reference's, measured or another simulator's", correlate},
      {"import", "files that others made: which formats there are, and what is in one", import_file},
      {"fit", "fit a NOC's constants to recorded traces, and judge them on others", fit},
      {"ccl", "plans of collectives: MSCCL's XML and MSCCL++'s JSON, checked and described; XML written",
       ccl_plans},
      {"check", "run a folder's run again, and say whether its results are what they were", check},
      {"report", "one page of a folder of results: where the time went, the machine, a timeline",
       report_folder},
      {"replay", "execute the op log that a run wrote with --oplog", replay_log},
      {"completion", "completion for a shell: kbsim completion bash, or zsh", completion},
      {"help", "this text, or that of a command or a bench: kbsim help ccl", show_help},
      {"version", "the version", show_version},
      {"sweep", "points of a plan on all cores: curves, tables, figures", sweep_command}};
  return all;
}

const Command& command_named(const std::string& name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  if (found != commands().end()) return *found;
  if (is_bench(name)) throw UsageError{fmt::format("'{0}' is a bench: kbsim --bench {0}", name)};
  require_no_part(name);
  if (name.ends_with(".yaml"))
    throw UsageError{fmt::format("unknown command '{0}', did you mean '--topology {0}'?", name)};
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  throw UsageError{fmt::format("unknown command '{}'{}", name, name_hint(name, names))};
}

bool is_command(const Arguments& words, ExitCode (*run)(const Arguments&)) {
  const auto command = std::ranges::find(commands(), run, &Command::run);
  return !words.empty() && command != commands().end() && words.front() == command->name;
}

}  // namespace kbsim::app

namespace {

// The first line stands out.
int fail(const std::string& text, kbsim::ExitCode exit) {
  const std::string lines = kbsim::harmless(text);
  const std::size_t end = std::min(lines.find('\n'), lines.size());
  const kbsim::Role role = exit == kbsim::ExitCode::interrupted ? kbsim::Role::warning : kbsim::Role::bad;
  kbsim::say("{}{}\n", kbsim::in_role(role, lines.substr(0, end), stderr), lines.substr(end));
  return kbsim::exit_status(exit);
}

std::string prefixed(const std::string& lines) {
  std::string text = "kbsim: ";
  for (const char c : lines) {
    text += c;
    if (c == '\n') text += "kbsim: ";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  using kbsim::ExitCode;
  kbsim::app::open_closed_streams();
  kbsim::answer_progress_signal();
  try {
    kbsim::app::choose_colors({argv + 1, argv + argc});
    kbsim::app::require_no_conflicts();
    const ExitCode exit = kbsim::app::dispatch({argv + 1, argv + argc});
    kbsim::app::say_profile();
    std::cout.flush();
    const bool printed = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!printed) throw kbsim::UsageError{"the result could not be written to stdout"};
    return kbsim::exit_status(exit);
  } catch (const kbsim::ConfigError& error) {  // each line is an error with its own place
    return fail(prefixed(error.what()), error.exit_code());
  } catch (const kbsim::Error& error) {
    if (error.exit_code() != ExitCode::usage) kbsim::app::say_profile();  // a run that was ended
    return fail(fmt::format("kbsim: {}", error.what()), error.exit_code());
  } catch (const std::bad_alloc&) {
    return fail("kbsim: out of memory; a smaller machine or smaller sizes may fit", ExitCode::limit);
  } catch (const std::system_error& error) {  // of text that stdout or stderr doesn't take
    return fail(fmt::format("kbsim: {}", error.what()), ExitCode::usage);
  } catch (const std::exception& error) {
    return fail(fmt::format("kbsim: internal error: {}", error.what()), ExitCode::internal);
  } catch (...) {
    return fail("kbsim: internal error: " + kbsim::thrown_text(), ExitCode::internal);
  }
}
