#include "kbsim/host/probe.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"

#include "probe_plan.hpp"

namespace kbsim::host {
namespace {

// When the DMA began the PE's first transfer.
Time first_move(Session& session, PeCoord pe) {
  const auto& ops = session.log().ops(session.machine().lane(pe));
  const auto found = std::ranges::find(ops, oplog::OpKind::copy, &oplog::Op::kind);
  ensure(found != ops.end(), "a probe that moved nothing");
  return found->start;
}

ProbePlan plan_of(const config::MachineSpec& machine, const std::string& name, Bytes bytes, int sources) {
  ProbePlan plan{.definition = &case_named(name), .ends = {}, .bytes = bytes};
  if (bytes < 1_B)
    throw UsageError{fmt::format("a probe of {}; expected at least one byte", to_string(bytes))};
  if (sources < 1 || sources > machine.pes_per_cube()) {
    throw UsageError{
        fmt::format("{} in a cube of {}", counted(sources, "source"), counted(machine.pes_per_cube(), "PE"))};
  }
  if (const auto missing = missing_for(name, machine)) throw UsageError{fmt::format("{} {}", name, *missing)};
  for (int i = 0; i < sources; ++i) plan.ends.push_back(*plan.definition->ends(machine, i));
  return plan;
}

double rate(Bytes bytes, Time time) { return static_cast<double>(bytes.count()) / to_ns(time); }

}  // namespace

double ProbeResult::effective_gbs() const { return rate(bytes, took()); }

double ProbeResult::total_gbs() const {
  const Time start = std::ranges::min(flows, {}, &ProbeFlow::start).start;
  const Time end = std::ranges::max(flows, {}, &ProbeFlow::end).end;
  return rate(bytes * static_cast<std::int64_t>(flows.size()), end - start);
}

ProbeResult probe(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                  const std::string& name, Bytes bytes, int sources, const SimulationOptions& simulation) {
  const ProbePlan plan = plan_of(machine, name, bytes, sources);
  config::AlgorithmSpec queues = algorithm;  // every PE has queues to the same PE of each neighbouring cube
  queues.topology = "cube_mesh";
  queues.mapper = "all_pes";
  Session session{machine, queues, {.simulation = simulation}};
  ProbeResult result{.bytes = bytes};
  result.flows.resize(plan.ends.size());
  (void)session.sim().spawn("probe " + name, run_probe(session, plan, &result.flows));
  session.run();
  const bool on_pe =
      plan.definition->transfer == Transfer::load || plan.definition->transfer == Transfer::send;
  if (on_pe) {
    for (auto&& [flow, ends] : ranges::views::zip(result.flows, plan.ends))
      flow.start = first_move(session, ends.pe);
  }
  explain(session, plan, result);
  return result;
}

}  // namespace kbsim::host
