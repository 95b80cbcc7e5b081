#include "run_watch.hpp"

#include <string>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

#include "memory_option.hpp"
#include "profile_option.hpp"
#include "watchdog_option.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

oplog::RaceMode race_mode(const std::string& text) {
  if (text == "off") return oplog::RaceMode::off;
  if (text == "warn") return oplog::RaceMode::warn;
  if (text == "error") return oplog::RaceMode::error;
  throw UsageError{fmt::format("--race must be error, warn or off, got '{}'{}", text,
                               near_hint(text, {"error", "warn", "off"}))};
}

}  // namespace

void describe_checks(RunWatch& watch, po::options_description& to) {
  auto add = to.add_options();
  add("verify-data", po::bool_switch(&watch.verify_data), "print the check of every tensor");
  add("timing-only", po::bool_switch(&watch.timing_only),
      "record no values and check none: for the longest runs");
  add("race", po::value<std::string>()->value_name("error|warn|off")->notifier([&](const std::string& v) {
    watch.race = race_mode(v);
  }),
      "report unordered accesses to one place: error (exit code 8), warn (the default), or off");
}

void describe_watching(RunWatch& watch, po::options_description& to) {
  auto add = to.add_options();
  add("dump-queues", po::bool_switch(&watch.dump_queues),
      "print each PE's queues at the end on stderr: counters, and addresses of their rings");
  add("parallel-bound", po::bool_switch(&watch.parallel_bound),
      "print on stderr the largest speedup that threads could give this run, by package and by cube");
  describe_profile(to);
}

void describe_questions(RunWatch& watch, po::options_description& to) {
  auto add = to.add_options();
  add("explain", po::bool_switch(&watch.explain),
      "print why the run takes its time: the critical path, and what each key of the machine adds to it");
  add("of",
      po::value<std::string>()
          ->value_name("run|launch:N|collective:N|op:LANE:N|row:N")
          ->notifier([&](const std::string& v) { watch.question = explain::question_of(v); }),
      "explain this (default: run); with --explain. Launches, collectives and rows count from 1: row 0 of "
      "launches.csv is launch:1; operations count as in the op log, op:sip0.cube0.pe0:17");
  add("recheck", po::bool_switch(&watch.recheck),
      "run again with each key of the path changed by a little and by 10 %, and print the predicted time "
      "beside the simulated one; with --explain");
  add("no-try", po::bool_switch(&watch.no_try),
      "simulate no changes that could shorten the run; with --explain or --out");
}

void describe_limits(RunWatch& watch, po::options_description& to) {
  auto add = to.add_options();
  add("stop-at", po::value<double>()->value_name("NS")->notifier([&](double v) { watch.stop_at_ns = v; }),
      "stop at this simulated time (exit code 4)");
  add("max-sim-time",
      po::value<double>()->value_name("NS")->notifier([&](double v) { watch.max_sim_time_ns = v; }),
      "stop a run of more simulated time, a runaway (exit code 4)");
  add("max-events", whole("max-events", "N", {}, &watch.max_events), "stop after N events (exit code 4)");
  describe_memory(to);
  describe_watchdog(watch.watchdog, to);
}

bool asks_about(const RunWatch& watch, explain::PathQuestion::Kind kind) {
  return watch.question && watch.question->kind == kind;
}

void require_explained(const RunWatch& watch) {
  if (watch.explain) return;
  if (watch.question) throw UsageError{"--of has no effect without --explain"};
  if (watch.recheck) throw UsageError{"--recheck has no effect without --explain"};
}

}  // namespace kbsim::app
