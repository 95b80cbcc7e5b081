// --num-threads of one simulation.
#include "simulation_threads.hpp"

#include <fmt/format.h>

namespace kbsim::app {
namespace {

std::string obstacle(const Bench& bench, const RunOptions& options) {
  if (!bench.by_messages)
    return fmt::format("bench {} may look into the machine while it runs", options.bench);
  if (bench.devices == Devices::current && options.device != "all")
    return fmt::format("bench {} runs on one package (without --device all)", options.bench);
  if (options.parallel_bound) return kBoundWatches;
  const bool traces = !options.trace.file.empty() || !options.trace.folder.empty();
  return traces ? "a trace is recorded in the order of all events" : "";
}

}  // namespace

SimulationThreads simulation_threads(const Bench& bench, const RunOptions& options) {
  if (options.num_threads <= 1) return {};
  std::string why = obstacle(bench, options);
  if (!why.empty()) return {.one_because = std::move(why)};
  return {.count = static_cast<unsigned>(options.num_threads)};
}

std::string describe_threads(const SimulationThreads& threads, const host::Session& session) {
  const std::string& why = threads.one_because.empty() ? session.one_thread_because() : threads.one_because;
  return why.empty() ? "" : fmt::format("simulated by one thread: {}\n", why);
}

}  // namespace kbsim::app
