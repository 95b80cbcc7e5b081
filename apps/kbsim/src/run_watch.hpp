#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <boost/program_options.hpp>

#include "kbsim/explain/path_question.hpp"
#include "kbsim/oplog/race.hpp"
#include "kbsim/signals/watchdog.hpp"

namespace kbsim::app {

/// How a run is watched: which values are checked, what is explained, which limits end it. Times are the same
/// however it is watched.
struct RunWatch {
  bool verify_data = false;
  bool timing_only = false;  // no values
  bool explain = false;
  std::optional<explain::PathQuestion> question;  // --of
  bool recheck = false;
  bool no_try = false;
  bool dump_queues = false;
  bool parallel_bound = false;
  std::optional<oplog::RaceMode> race;
  std::optional<double> stop_at_ns;
  std::optional<double> max_sim_time_ns;
  std::optional<std::uint64_t> max_events;
  WatchdogLimit::Seconds watchdog{};
  std::chrono::steady_clock::time_point start{};  // of the run's wall time
};

/// The options of the watch, in four blocks of the help page: checks, what is watched, explanations, limits.
/// Options of the process apply as soon as they are parsed.
void describe_checks(RunWatch& watch, boost::program_options::options_description& to);
void describe_watching(RunWatch& watch, boost::program_options::options_description& to);
void describe_questions(RunWatch& watch, boost::program_options::options_description& to);
void describe_limits(RunWatch& watch, boost::program_options::options_description& to);

/// True if --of asks about this kind of thing.
[[nodiscard]] bool asks_about(const RunWatch& watch, explain::PathQuestion::Kind kind);
/// UsageError if options of --explain are given without it.
void require_explained(const RunWatch& watch);

}  // namespace kbsim::app
