// A bench of one simulation: everything before its first event.
#include "single_run.hpp"

#include <memory>
#include <utility>

#include "kbsim/base/say.hpp"
#include "kbsim/evaluate/option_json.hpp"
#include "kbsim/host/known_algorithm.hpp"
#include "kbsim/report/deadlock_report.hpp"

#include "device_option.hpp"
#include "plugins.hpp"
#include "run_configuration.hpp"
#include "run_dependencies.hpp"
#include "session_options.hpp"
#include "simulate_run.hpp"
#include "simulation_threads.hpp"

namespace kbsim::app {
namespace {

BenchCall call_of(const RunOptions& options, const config::MachineSpec& machine) {
  const RunInputs& inputs = options.inputs;
  std::vector<int> devices = inputs.device.empty()
                                 ? std::vector<int>{}
                                 : devices_named(inputs.device, machine, inputs.bench, *inputs.single);
  const int first = devices.empty() ? 0 : devices.front();
  return {.bench = *inputs.single,
          .devices = std::move(devices),
          .request = {.verify_data = options.watch.verify_data,
                      .values = !options.watch.timing_only,
                      .sip = first,
                      .own = inputs.own,
                      .algorithm = inputs.algorithm,
                      .buffer_kind = inputs.buffer_kind.has_value()}};
}

// Everything that is known before the run, checked.
struct Checked {
  config::Configuration configuration;
  config::AlgorithmSpec algorithm;
  SimulationThreads threads;
  host::SessionOptions how;
  BenchCall call;
};

Checked checked(const RunOptions& options) {
  config::Configuration configuration = load(options.inputs);
  config::AlgorithmSpec algorithm = configuration.ccl.resolve(options.inputs.algorithm);
  host::require_known(algorithm);
  SimulationThreads threads = simulation_threads(options);
  host::SessionOptions how = session_options(options, configuration.ccl);
  how.threads = threads.count;
  BenchCall call = call_of(options, configuration.machine);
  if (call.bench.queues) algorithm = call.bench.queues(configuration.machine);
  if (call.bench.check) call.bench.check(configuration.machine, algorithm, call.request);
  require_outputs(options.outputs);
  return {.configuration = std::move(configuration),
          .algorithm = std::move(algorithm),
          .threads = std::move(threads),
          .how = std::move(how),
          .call = std::move(call)};
}

boost::json::object own_options(const RunInputs& inputs) {
  return evaluate::to_json(inputs.single->run.options(), inputs.own);
}

// A page doesn't need causes: they are left out if a model of the machine can't give them.
std::unique_ptr<host::Session> session_of(const Checked& run) {
  const config::MachineSpec& machine = run.configuration.machine;
  host::SessionOptions how = run.how;
  try {
    return std::make_unique<host::Session>(machine, run.algorithm, how);
  } catch (const Unsupported&) {
    if (!std::exchange(how.simulation.causes, false) || !how.simulation.why.optional) throw;
    return std::make_unique<host::Session>(machine, run.algorithm, how);
  }
}

ExitCode show_plan(const RunOptions& options, const Checked& run, const report::RunTrace& trace) {
  const RunInputs& inputs = options.inputs;
  const Bench& bench = *inputs.single;
  return show(options.outputs,
              {.bench = inputs.bench,
               .doc = bench.doc,
               .options = own_options(inputs),
               .topology = inputs.machine.topology,
               .machine = run.configuration.machine,
               .algorithm = bench.algorithms == Algorithms::one ? &run.algorithm : nullptr,
               .files = files_of(options.outputs, inputs.bench, trace,
                                 {"summary.json", "results.csv", "links.csv", "units.csv", "orders.csv",
                                  "launches.csv", "run.json", "config.resolved.yaml"})});
}

// Checks the subject of --of, as far as it is known before the run.
void require_lane(const RunWatch& watch, host::Session& session) {
  if (asks_about(watch, explain::PathQuestion::Kind::op)) (void)op_of(*watch.question, session.log());
}

ExitCode simulate_into_folder(const RunOptions& options, const Checked& run, host::Session& session,
                              report::RunTrace& trace) {
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.outputs.out);
  return report::run_into(folder.get(), [&] {
    const auto& [machine, ccl, notes, text] = run.configuration;
    if (folder) folder->write_configuration(report::configuration_text(machine, &ccl));
    if (folder && is_recorded(options)) trace.keep_for_page(*folder);
    if (!options.outputs.quiet) say(describe_threads(run.threads, session));
    return simulate_bench(
        {.options = options, .call = run.call, .folder = folder.get(), .session = session, .trace = trace});
  });
}

// Leaves the memory to the system, because the command is about to end. The destructors of a machine's
// millions of objects would only free memory.
void leave_to_system(std::unique_ptr<host::Session> session) {
  // Keeps the session reachable for a search for leaks.
  [[maybe_unused, gnu::used]] static const host::Session* left = nullptr;
  left = session.release();
}

ExitCode run_checked(const RunOptions& options, const Checked& run) {
  if (!is_wanted(options, own_options(options.inputs), run.configuration.machine, run.configuration.ccl))
    return ExitCode::ok;
  report::RunTrace trace{options.outputs.trace};
  std::unique_ptr<host::Session> session = session_of(run);
  if (options.outputs.dry_run) return show_plan(options, run, trace);
  require_lane(options.watch, *session);
  const ExitCode exit = simulate_into_folder(options, run, *session, trace);
  if (options.outputs.kept == nullptr && !has_plugins()) leave_to_system(std::move(session));
  return exit;
}

}  // namespace

ExitCode run_single(const RunOptions& options) {
  try {
    return run_checked(options, checked(options));
  } catch (const DeadlockReport& deadlock) {
    throw Error{deadlock.exit_code(), report::to_text(deadlock, options.outputs.verbose)};
  }
}

}  // namespace kbsim::app
