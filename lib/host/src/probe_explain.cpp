// Where the time of a probe went: the closed form of its path, and the trace of its messages.
#include <algorithm>

#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/memory/memory.hpp"

#include "probe_plan.hpp"

namespace kbsim::host {
namespace {

// One way from a node to another, its bytes, and the memory ports before and behind it.
struct Leg {
  NodeId from;
  NodeId to;
  Bytes bytes;
};

struct Path {
  std::vector<Leg> legs;  // the first is the request, if there are two and data comes back
  std::size_t data = 0;   // which leg carries the data
  std::vector<hw::Memory*> ports;
  std::vector<Bandwidth> rates;
};

Path path_of(Session& session, const ProbePlan& plan) {
  hw::Machine& machine = session.machine();
  const topology::Graph& graph = machine.graph();
  const Bytes control = session.spec().system.control_bytes;
  const Ends& ends = plan.ends.front();
  const auto memory = [&](NodeId id) { return &machine.at<hw::Memory>(id); };
  if (plan.definition->transfer == Transfer::send) {
    hw::Memory* source = memory(graph.pe(ends.pe).tcm);
    hw::Memory* target = memory(graph.pe(ends.peer).tcm);
    return {.legs = {{source->id(), target->id(), plan.bytes}},
            .data = 0,
            .ports = {source, target},
            .rates = {source->read_rate(), target->write_rate()}};
  }
  hw::Memory* target = memory(hw::locate(graph, ends.memory).memory);
  if (plan.definition->transfer == Transfer::host_write) {
    return {.legs = {{graph.host(), target->id(), plan.bytes}, {target->id(), graph.host(), control}},
            .data = 0,
            .ports = {target},
            .rates = {target->write_rate()}};
  }
  if (plan.definition->transfer == Transfer::host_read) {
    return {.legs = {{graph.host(), target->id(), control}, {target->id(), graph.host(), plan.bytes}},
            .data = 1,
            .ports = {target},
            .rates = {target->read_rate()}};
  }
  hw::Memory* tcm = memory(graph.pe(ends.pe).tcm);
  return {.legs = {{graph.pe(ends.pe).dma, target->id(), control}, {target->id(), tcm->id(), plan.bytes}},
          .data = 1,
          .ports = {target, tcm},
          .rates = {target->read_rate(), tcm->write_rate()}};
}

void attribute(Session& session, const Path& path, ProbeResult& result) {
  const topology::Graph& graph = session.machine().graph();
  topology::Routes routes{graph};
  const bool stores = path.data == 0;
  for (std::size_t i = 0; i < path.ports.size(); ++i)
    result.split.overhead += path.ports[i]->latency(stores || i > 0);
  result.bottleneck = path.ports.front()->name() + " port";
  result.bottleneck_rate = path.rates.front();
  const auto narrow = [&](Bandwidth rate, const std::string& name) {
    if (rate >= result.bottleneck_rate) return;
    result.bottleneck_rate = rate;
    result.bottleneck = name;
  };
  for (std::size_t i = 1; i < path.ports.size(); ++i) narrow(path.rates[i], path.ports[i]->name() + " port");
  for (std::size_t i = 0; i < path.legs.size(); ++i) {
    Time drain{};
    for (const LinkId id : routes(path.legs[i].from, path.legs[i].to)) {
      const topology::Link& link = graph.link(id);
      result.split.overhead += session.machine().fabric().component(link.from).overhead();
      result.split.wire += link.wire;
      drain = std::max(drain, serialization(path.legs[i].bytes, link.bandwidth));
      if (i == path.data) narrow(link.bandwidth, graph.link_name(id));
    }
    result.split.drain += i == path.data ? serialization(path.legs[i].bytes, result.bottleneck_rate) : drain;
  }
  result.split.queueing = result.took() - result.split.total();
}

void trace_hops(Session& session, const Path& path, ProbeResult& result) {
  const topology::Graph& graph = session.machine().graph();
  const auto& traces = session.machine().fabric().traces();
  const Time start = result.flows.front().start;
  for (std::size_t i = 0; i < path.legs.size(); ++i) {
    const Leg& leg = path.legs[i];
    const auto on_leg = [&](const hw::MessageTrace& trace) {
      return trace.from == leg.from && trace.to == leg.to && trace.sent >= start;
    };
    const hw::MessageTrace* found = nullptr;
    for (const hw::MessageTrace& trace : traces) {
      if (on_leg(trace) && (found == nullptr || i == path.data)) found = &trace;
    }
    if (found == nullptr) continue;
    for (const hw::Hop& hop : found->hops) {
      result.hops.push_back({.node = graph.node(graph.link(hop.link).from).name,
                             .arrive = hop.arrive - start,
                             .depart = hop.start - start});
    }
    result.hops.push_back({.node = graph.node(leg.to).name,
                           .arrive = found->arrived - start,
                           .depart = found->arrived - start});
  }
}

}  // namespace

void explain(Session& session, const ProbePlan& plan, ProbeResult& result) {
  const Path path = path_of(session, plan);
  attribute(session, path, result);
  trace_hops(session, path, result);
}

}  // namespace kbsim::host
