#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/program_options.hpp>

#include "kbsim/app/bench.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/explain/path_question.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/oplog/race.hpp"
#include "kbsim/report/run_trace.hpp"
#include "kbsim/signals/watchdog.hpp"

#include "explain_run.hpp"
#include "kept_run.hpp"
#include "machine_options.hpp"

namespace kbsim::app {

struct RunOptions {
  MachineOptions machine;
  std::string unnamed_topology;
  std::string bench;
  std::string algorithm;
  std::optional<std::string> buffer_kind;
  std::string device;
  std::string oplog;
  std::string chakra;
  bool verify_data = false;
  bool timing_only = false;
  bool exact_packets = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool dry_run = false;
  std::string out;
  bool reuse = false;
  std::string reuse_asked_by;
  std::optional<std::uint64_t> shuffle_ties;
  std::optional<double> stop_at_ns;
  std::optional<double> max_sim_time_ns;
  std::optional<std::uint64_t> max_events;
  std::optional<oplog::RaceMode> race;
  std::uint64_t num_threads = 0;
  WatchdogLimit::Seconds watchdog{};
  bool dump_queues = false;
  bool explain = false;
  bool no_report = false;
  std::optional<explain::PathQuestion> explain_of;
  bool recheck = false;
  bool parallel_bound = false;
  report::TraceOptions trace = {};
  OptionValues own = {};    // of the bench
  KeptRun* kept = nullptr;  // gets the result in place of stdout and files
};

extern const std::string kRunExamples;
extern const std::string kExplainExamples;

/// The options of kbsim run, without those of its bench.
[[nodiscard]] boost::program_options::options_description description(RunOptions& o);

/// --buffer-kind, if it is given. UsageError if there is no such memory.
[[nodiscard]] std::optional<config::BufferKind> buffer_kind_of(const RunOptions& options);

/// True if spans, and causes if possible, are kept for the page of --out.
[[nodiscard]] bool is_recorded(const RunOptions& options);
/// UsageError if options of --explain are given without it.
void require_explained(const RunOptions& options);

/// How the simulation runs. UsageError if options contradict --timing-only.
[[nodiscard]] host::SessionOptions session_options(const RunOptions& options, const config::CclSpec& ccl);

}  // namespace kbsim::app
