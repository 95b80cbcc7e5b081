#include "session_options.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/environment.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::app {
namespace {

// The time from 0 on at which a run stops: the earliest that an option gives.
Time stop_of(const RunWatch& watch) {
  Time first = kForever;
  for (const auto& [name, ns] :
       {std::pair{"stop-at", watch.stop_at_ns}, std::pair{"max-sim-time", watch.max_sim_time_ns}}) {
    if (!ns) continue;
    if (!(*ns >= 0)) throw UsageError{fmt::format("--{} must be a time from 0 on, got {}", name, *ns)};
    try {
      first = std::min(first, from_ns(*ns));
    } catch (const UsageError& error) {
      throw UsageError{fmt::format("--{}: {}", name, error.what())};
    }
  }
  return first;
}

// Refuses options that need the values that --timing-only leaves out.
void require_values_wanted(const RunOptions& options) {
  const RunWatch& watch = options.watch;
  const auto refuse = [](const char* other, const char* why) {
    throw UsageError{fmt::format("--timing-only and {}: {}", other, why)};
  };
  if (!options.outputs.oplog.empty()) refuse("--oplog", "a run that records no values has no op log");
  if (watch.verify_data) refuse("--verify-data", "a run that records no values has none to verify");
  if (asks_about(watch, explain::PathQuestion::Kind::op))
    refuse("--of op", "a run that records no operations has none to ask about");
  if (watch.race && *watch.race != oplog::RaceMode::off)
    refuse("--race", "a run that records no operations finds no races among them");
}

// A page doesn't need causes, and no error is reported without them.
Causes::Options why_options(const RunWatch& watch) {
  constexpr std::size_t kMostForPage = std::size_t{1} << 22U;  // 235 MB
  constexpr std::size_t kAllCauses = std::size_t{1} << 21U;    // 56 bytes each
  return watch.explain ? Causes::Options{.all = kAllCauses}
                       : Causes::Options{.most = kMostForPage, .optional = true};
}

bool prints_choices() { return environment_choice("KBSIM_CCL_DEBUG", {"INFO"}) == "INFO"; }

void require_consistent(const RunOptions& options) {
  const RunWatch& watch = options.watch;
  if (watch.timing_only) require_values_wanted(options);
  require_explained(watch);
  if (asks_about(watch, explain::PathQuestion::Kind::row))
    throw UsageError{
        fmt::format("--of {}: {} is a single simulation, and has no rows; see launch:N and op:LANE:N",
                    as_asked(*watch.question), options.inputs.bench)};
}

}  // namespace

host::SessionOptions session_options(const RunOptions& options, const config::CclSpec& ccl) {
  require_consistent(options);
  const auto& [inputs, outputs, watch] = options;
  const oplog::RaceMode usual = watch.timing_only ? oplog::RaceMode::off : oplog::RaceMode::warn;
  host::SessionOptions result{.simulation = {.shuffle_ties = inputs.shuffle_ties,
                                             .causes = watch.explain || is_recorded(options),
                                             .why = why_options(watch)},
                              .replay_threads = static_cast<unsigned>(inputs.num_threads),
                              .races = watch.race.value_or(usual),
                              .timing_only = watch.timing_only,
                              .exact_packets = inputs.exact_packets || watch.parallel_bound,
                              .ccl = ccl,
                              .choices = prints_choices() ? stderr : nullptr};
  result.simulation.stop_at = stop_of(watch);
  if (watch.max_events) result.simulation.max_events = *watch.max_events;
  return result;
}

}  // namespace kbsim::app
