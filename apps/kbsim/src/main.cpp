#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "kbsim/base/names.hpp"

#include "commands.hpp"
#include "plugins.hpp"

namespace kbsim::app {
namespace {

[[noreturn]] ExitCode not_yet(const char* command) {
  throw Unsupported{fmt::format("kbsim {} is not supported yet", command)};
}

void print_help() {
  fmt::print(
      "kbsim: how long would it take on a machine that doesn't exist yet, and is the result right?\n\n"
      "usage: kbsim [run] [--topology FILE] --bench NAME [options]\n"
      "       kbsim COMMAND [options]      (kbsim COMMAND --help tells more)\n\ncommands:\n");
  for (const Command& command : commands()) fmt::print("  {:<10} {}\n", command.name, command.doc);
  fmt::print(
      "\ntry:\n  kbsim list\n  kbsim --topology topology.yaml --bench ccl_allreduce\n\n"
      "exit codes: 0 done and right, 1 internal error, 2 usage or configuration, 4 limit reached,\n"
      "  5 not supported, 7 wrong values, 8 deadlock or a fault in a kernel, 130 interrupted\n");
}

ExitCode dispatch(Arguments arguments) {
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h") {
    print_help();
    return arguments.empty() ? ExitCode::usage : ExitCode::ok;
  }
  if (arguments.front() == "--version") {
    fmt::print("kbsim {}\n", KBSIM_VERSION);
    return ExitCode::ok;
  }
  if (arguments.front().starts_with('-')) return run_bench(arguments);
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  const auto found = std::ranges::find(commands(), name, &Command::name);
  if (found != commands().end()) return found->run(arguments);
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  throw UsageError{fmt::format("unknown command '{}'{}", name, name_hint(name, names))};
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"run", "run a bench (the default command)", run_bench},
      {"list", "benches, kernels, algorithms, topologies, component models", list},
      {"probe", "latency and bandwidth of single paths, alone and under contention", probe},
      {"traffic", "synthetic traffic on a part of the fabric, and load-latency curves", traffic},
      {"topology", "check, describe and draw a topology file", describe_topology},
      {"correlate", "simulated times against a reference's, measured or another simulator's", correlate},
      {"replay", "execute the op log that a run wrote with --oplog", replay_log},
      {"sweep", "a cross product of settings (not supported yet)",
       [](const Arguments&) { return not_yet("sweep"); }}};
  return all;
}

}  // namespace kbsim::app

namespace {

// Says it on stderr, if that can be written to.
int fail(const std::string& text, kbsim::ExitCode exit) {
  (void)std::fputs((text + "\n").c_str(), stderr);
  return static_cast<int>(exit);
}

}  // namespace

int main(int argc, char** argv) {
  using kbsim::ExitCode;
  try {
    kbsim::app::require_no_conflicts();
    const ExitCode exit = kbsim::app::dispatch({argv + 1, argv + argc});
    std::cout.flush();
    const bool printed = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!printed) throw kbsim::UsageError{"the result could not be written to stdout"};
    return static_cast<int>(exit);
  } catch (const kbsim::ConfigError& error) {  // each line says its own place
    return fail(error.what(), error.exit_code());
  } catch (const kbsim::Error& error) {
    return fail(fmt::format("kbsim: {}", error.what()), error.exit_code());
  } catch (const std::bad_alloc&) {
    return fail("kbsim: out of memory; a smaller machine or smaller sizes may fit", ExitCode::limit);
  } catch (const std::system_error& error) {  // of text that stdout or stderr doesn't take
    return fail(fmt::format("kbsim: {}", error.what()), ExitCode::usage);
  } catch (const std::exception& error) {
    return fail(fmt::format("kbsim: internal error: {}", error.what()), ExitCode::internal);
  }
}
