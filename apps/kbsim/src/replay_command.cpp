// kbsim replay: executes a recorded op log in a process of its own.
#include <chrono>
#include <cstdio>
#include <iostream>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/model_version.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/replay/checks.hpp"
#include "kbsim/replay/prints.hpp"
#include "kbsim/report/run_summary.hpp"
#include "kbsim/signals/stop_signals.hpp"

#include "commands.hpp"
#include "machine_options.hpp"
#include "memory_option.hpp"
#include "oplog_file.hpp"
#include "profile_option.hpp"
#include "standing_line.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
using Seconds = std::chrono::duration<double>;

struct ReplayOptions {
  std::string log;
  bool json = false;
  bool quiet = false;
  int num_threads = 0;
};

constexpr std::string_view kReplayExamples = R"(
examples:
  kbsim --topology topology.yaml --bench ccl_allreduce --oplog run.oplog
  kbsim replay run.oplog
)";

void parse(const Arguments& arguments, ReplayOptions& o) {
  po::options_description all{"options of kbsim replay"};
  describe_memory(all);
  describe_profile(all);
  auto add = all.add_options();
  add("log", po::value(&o.log)->value_name("FILE")->required(), "the op log that a run wrote with --oplog");
  add("json", po::bool_switch(&o.json), "print the result as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&o.quiet), "no progress and no summary on stderr");
  add("num-threads", whole("num-threads", "N", {.most = 1024}, &o.num_threads),
      "threads that compute the numbers (default: all); the result is the same");
  const Synopsis synopsis{
      .usage = "kbsim replay FILE [options]", .examples = std::string{kReplayExamples}, .positional = "log"};
  parse_options(arguments, all, synopsis);
}

void print(const ReplayOptions& options, const LogChecksums& result) {
  if (!options.json) return fmt::print("{}\n", to_text(result));
  const boost::json::object all{{"schema_version", 1},
                                {"version", KBSIM_VERSION},
                                {"model_version", kModelVersion},
                                {"oplog", to_json(result)}};
  std::cout << json_as_utf8(boost::json::serialize(all)) << '\n';
}

LogChecksums executed(const oplog::OpLog& log, replay::Replay& replay, const StandingLine::How& how) {
  const StandingLine progress{how};
  for (const std::string& line : replay::prints(log, replay)) say("{}\n", line);
  replay::check(log, replay);
  replay.release_all();
  return checksums(log, replay);
}

}  // namespace

ExitCode replay_log(const Arguments& arguments) {
  ReplayOptions options;
  parse(arguments, options);
  const auto start = std::chrono::steady_clock::now();
  const oplog::OpLog log = read_log(options.log);
  const StopSignals signals;
  replay::Replay replay{log, static_cast<unsigned>(options.num_threads)};
  print(options, executed(log, replay, {.shown = !options.quiet, .start = start}));
  std::fflush(stdout);
  if (options.quiet) return ExitCode::ok;
  say("executed {}, {:.3f} s wall, {} of values at most, {} peak memory\n",
      counted(replay.counters().executed, "operation"),
      Seconds{std::chrono::steady_clock::now() - start}.count(), to_string(replay.counters().peak),
      to_string(report::peak_memory()));
  return ExitCode::ok;
}

}  // namespace kbsim::app
