// --num-threads of one simulation.
#include "simulation_threads.hpp"

#include <fmt/format.h>

#include "kbsim/app/bench.hpp"

namespace kbsim::app {
namespace {

std::string obstacle(const RunOptions& options) {
  const Bench& bench = *options.inputs.single;
  if (!bench.by_messages)
    return fmt::format("bench {} may look into the machine while it runs", options.inputs.bench);
  if (bench.devices == Devices::current && options.inputs.device != "all")
    return fmt::format("bench {} runs on one package (without --device all)", options.inputs.bench);
  if (options.watch.parallel_bound) return kBoundWatches;
  const bool traces = !options.outputs.trace.file.empty() || !options.outputs.trace.folder.empty();
  return traces ? "a trace is recorded in the order of all events" : "";
}

}  // namespace

SimulationThreads simulation_threads(const RunOptions& options) {
  if (options.inputs.num_threads <= 1) return {};
  std::string why = obstacle(options);
  if (!why.empty()) return {.one_because = std::move(why)};
  return {.count = static_cast<unsigned>(options.inputs.num_threads)};
}

std::string describe_threads(const SimulationThreads& threads, const host::Session& session) {
  const std::string& why = threads.one_because.empty() ? session.one_thread_because() : threads.one_because;
  return why.empty() ? "" : fmt::format("simulated by one thread: {}\n", why);
}

}  // namespace kbsim::app
