// Where the time of a probe went: the closed form of its path, and the trace of its messages.
#include <algorithm>

#include <range/v3/view/enumerate.hpp>

#include "probe_path.hpp"

namespace kbsim::host {
namespace {

// The slowest port, or link on the data's route.
void find_bottleneck(Session& session, const ProbePath& path, ProbeResult& result) {
  const topology::Graph& graph = session.machine().graph();
  topology::Routes routes{graph};
  result.bottleneck = path.ports.front().memory->name() + " port";
  result.bottleneck_rate = path.ports.front().rate();
  const auto narrow = [&](Bandwidth rate, const std::string& name) {
    if (rate >= result.bottleneck_rate) return;
    result.bottleneck_rate = rate;
    result.bottleneck = name;
  };
  for (const ProbePort& port : path.ports) {
    const std::string name = port.memory->name() + " port";
    if (port.both_ways)
      narrow(Bandwidth::gbs(port.rate().gbs() / 2), name + ", both ways");
    else
      narrow(port.rate(), name);
  }
  for (const ProbeLeg& leg : path.legs) {
    if (!leg.data) continue;
    for (const LinkId id : routes(leg.from, leg.to, leg.network(graph)))
      narrow(graph.link(id).bandwidth, graph.link_name(id));
  }
}

// The slowest of a leg's links and ports; none if it has neither.
std::optional<Bandwidth> slowest_of(Session& session, const ProbePath& path, std::size_t leg) {
  const topology::Graph& graph = session.machine().graph();
  std::optional<Bandwidth> slowest;
  const auto narrow = [&](Bandwidth rate) { slowest = std::min(slowest.value_or(rate), rate); };
  const ProbeLeg& on = path.legs[leg];
  for (const LinkId id : topology::find_route(graph, on.from, on.to, on.network(graph)))
    narrow(graph.link(id).bandwidth);
  for (const ProbePort& port : path.ports) {
    if (port.leg == leg) narrow(port.rate());
  }
  return slowest;
}

// The share of a row's opening time that costs nothing. A row that was just written is open. While a row
// opens for a write, bytes still arrive over a slower link, and the port catches up.
Time hidden_opening(Session& session, const ProbePath& path, const ProbePort& port) {
  const Time opening = port.memory->opening(port.write);
  if (!port.write) return port.both_ways ? opening : Time{0};
  const Bytes bytes = path.legs[port.leg].bytes;
  const Bandwidth slowest = slowest_of(session, path, port.leg).value_or(port.rate());
  return std::min(opening, serialization(bytes, slowest) - serialization(bytes, port.rate()));
}

void attribute(Session& session, const ProbePath& path, ProbeResult& result) {
  const topology::Graph& graph = session.machine().graph();
  for (const ProbePort& port : path.ports)
    result.split.overhead += port.memory->latency(port.write) - hidden_opening(session, path, port);
  const Bytes packet = session.spec().system.packet_bytes;
  Bytes carried;
  for (const auto& [number, leg] : ranges::views::enumerate(path.legs)) {
    for (const LinkId id : topology::find_route(graph, leg.from, leg.to, leg.network(graph))) {
      const topology::Link& link = graph.link(id);
      result.split.overhead += session.machine().fabric().component(link.from).overhead();
      result.split.wire += link.wire;
    }
    const std::optional<Bandwidth> slowest = slowest_of(session, path, number);
    // Packets may carry frames, or be stored on the way.
    const Time drain =
        session.machine().fabric().path(leg.from, leg.to, leg.traffic_class).drain(leg.bytes, packet);
    if (slowest) result.split.drain += std::max(drain, serialization(leg.bytes, *slowest));
    if (leg.data && carried == 0_B) carried = leg.bytes;
  }
  result.split.drain += serialization(result.bytes - carried, result.bottleneck_rate);
}

// Latencies hidden by a drain aren't overhead; those of a PE's own memory may be.
void count_overlap_once(hw::Split& split) {
  const Time overlap = std::min(split.overhead, std::max(Time{0}, -split.queueing));
  split.overhead -= overlap;
  split.queueing += overlap;
}

std::vector<const hw::MessageTrace*> traces_on(Session& session, const ProbeLeg& leg, Time start) {
  std::vector<const hw::MessageTrace*> found;
  for (const hw::MessageTrace& trace : session.machine().fabric().traces()) {
    if (trace.from == leg.from && trace.to == leg.to && trace.sent >= start) found.push_back(&trace);
  }
  return found;
}

// Arrival time of each of a send's tiles. A large tile arrives in several messages.
std::vector<Time> arrivals(Session& session, const ProbeLeg& leg,
                           const std::vector<const hw::MessageTrace*>& tiles, Time start) {
  std::vector<Time> there;
  Bytes expected;
  Bytes arrived;
  for (const hw::MessageTrace* trace : traces_on(session, leg, start)) {
    arrived += trace->size;
    while (there.size() < tiles.size() && arrived >= expected + tiles[there.size()]->size) {
      expected += tiles[there.size()]->size;
      there.push_back(trace->arrived);
    }
  }
  return there;
}

// A tile waited for a slot if it left after its issue and after the tile before it was gone. The wait costs
// at most the time that the bottleneck was idle before the tile.
Time slot_wait(Session& session, const ProbePath& path, const ProbeResult& result) {
  const ProbeFlow& flow = result.flows.front();
  const auto tiles = traces_on(session, path.legs.front(), flow.start);
  const std::vector<Time> there = arrivals(session, path.last(), tiles, flow.start);
  const auto slots = static_cast<std::size_t>(session.algorithm().n_slots);
  Time waited{};
  for (std::size_t i = slots; i < there.size(); ++i) {
    const hw::MessageTrace& before = *tiles[i - 1];
    const Time issued = flow.issued[i] + (tiles.front()->sent - flow.issued.front());
    const Time gone = before.sent + serialization(before.size, path.ports.front().rate());
    const Time held = tiles[i]->sent - std::max(issued, gone);
    const Time idle = there[i] - there[i - 1] - serialization(tiles[i]->size, result.bottleneck_rate);
    waited += std::max(Time{0}, std::min(held, idle));
  }
  return waited;
}

std::optional<double> crossbar_mm(const topology::Graph& graph, NodeId slice) {
  for (const topology::Link& link : graph.links()) {
    if (link.to == slice && graph.node(link.from).kind == topology::NodeKind::xbar) return link.length_mm;
  }
  return std::nullopt;
}

// The last hop departs when its memory has the data, which ends the transfer.
void trace_hops(Session& session, const ProbePath& path, ProbeResult& result) {
  const topology::Graph& graph = session.machine().graph();
  const auto& traces = session.machine().fabric().traces();
  const Time start = result.flows.front().start;
  for (const ProbeLeg& leg : path.legs) {
    const auto on_leg = [&](const hw::MessageTrace& trace) {
      return trace.from == leg.from && trace.to == leg.to && trace.sent >= start;
    };
    const hw::MessageTrace* found = nullptr;
    for (const hw::MessageTrace& trace : traces) {
      if (on_leg(trace) && (found == nullptr || leg.data)) found = &trace;
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
  if (!result.hops.empty()) result.hops.back().depart = result.took();
}

}  // namespace

void explain(Session& session, const ProbePlan& plan, ProbeResult& result) {
  const ProbePath path = path_of(session, plan);
  find_bottleneck(session, path, result);
  attribute(session, path, result);
  if (plan.definition->transfer == Transfer::load)
    result.crossbar_mm = crossbar_mm(session.machine().graph(), path.ports.front().memory->id());
  if (plan.definition->transfer == Transfer::send) result.slot_wait = slot_wait(session, path, result);
  result.split.queueing = result.took() - result.split.total() - result.slot_wait;
  count_overlap_once(result.split);
  trace_hops(session, path, result);
}

}  // namespace kbsim::host
