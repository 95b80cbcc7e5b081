#include "idle.hpp"

#include <algorithm>
#include <map>

#include "kbsim/topology/route.hpp"

namespace kbsim::hw::test {
namespace {

double default_overhead(topology::NodeKind kind) {
  using enum topology::NodeKind;
  switch (kind) {
    case pcie_switch: return 5.0;
    case pcie_ep:
    case io_cpu:
    case m_cpu: return 10.0;
    case ucie: return 8.0;
    case xbar: return 2.0;
    case router:
    case pe_ipcq: return 1.0;
    default: return 0.0;
  }
}

bool divides(Bytes packet, Bandwidth server) {
  constexpr std::int64_t kMany = 1'000'000;
  return server.serialization(packet * kMany) == server.serialization(packet) * kMany;
}

Bytes sum(const Packets& packets) {
  Bytes all{};
  for (const Bytes packet : packets) all += packet;
  return all;
}

}  // namespace

double attr(const topology::Node& node, const std::string& name, double otherwise) {
  const auto found = node.model->attrs.find(name);
  return found == node.model->attrs.end() ? otherwise : std::get<double>(found->second);
}

MemoryModel memory_model(const topology::Graph& graph, NodeId memory) {
  const topology::Node& node = graph.node(memory);
  const auto rate = [&](const char* name, double gbs) { return Bandwidth::gbs(attr(node, name, gbs)); };
  const auto access = [&](double ns) { return from_ns(attr(node, "access_ns", ns)); };
  if (node.kind == topology::NodeKind::pe_tcm)
    return {rate("read_bw_gbs", 512.0), rate("write_bw_gbs", 512.0), access(1.0)};
  if (node.kind == topology::NodeKind::sram)
    return {rate("bw_gbs", 256.0), rate("bw_gbs", 256.0), access(4.0)};
  const Bandwidth hbm = Bandwidth::gbs(graph.spec().cube.xbar_to_hbm.gbs() * attr(node, "efficiency", 0.8));
  return {hbm, hbm, access(30.0)};
}

std::vector<std::size_t> ports_of(const topology::Graph& graph) {
  std::map<NodeId, std::size_t> into;
  std::vector<std::size_t> ports;
  for (const topology::Link& link : graph.links()) ports.push_back(++into[link.to]);
  return ports;
}

// The overhead of an MMU applies to translations, not to messages.
Time overhead(const topology::Node& node) {
  if (node.kind == topology::NodeKind::pe_mmu) return Time{0};
  return from_ns(attr(node, "overhead_ns", default_overhead(node.kind)));
}

Way Way::then(Bandwidth server, Time latency) const {
  Way longer = *this;
  longer.delay += latency;
  longer.servers.push_back(server);
  return longer;
}

Bandwidth Way::slowest() const { return *std::ranges::min_element(servers); }

Way way(const topology::Graph& graph, NodeId from, NodeId to) {
  topology::Routes routes{graph};
  Way result;
  for (const LinkId id : routes(from, to)) {
    const topology::Link& link = graph.link(id);
    const Time wire = from_ns(link.length_mm * graph.spec().system.ns_per_mm);
    result = result.then(link.bandwidth, overhead(graph.node(link.from)) + wire);
  }
  return result;
}

Time service_time(const topology::Link& link, Bytes n) {
  if (link.framing == nullptr) return link.bandwidth.serialization(n);
  const config::ChipLinkSpec& wire = *link.framing;
  Bytes all = n + wire.frame.header;
  if (wire.frame.payload > 0_B) {
    for (Bytes left = n + wire.frame.header; left > 0_B; left -= wire.frame.payload)
      all += wire.frame.overhead;
  }
  const double gbs = wire.bandwidth.gbs() * wire.channels * wire.efficiency;
  const Time least{(wire.packet.count() + wire.channels - 1) / wire.channels};  // rounded up to 1 ps
  const Time bytes = Bandwidth::gbs(gbs).serialization(all);
  return wire.store_and_forward ? bytes : std::max(bytes, least);
}

Way way_to_memory(const topology::Graph& graph, NodeId from, NodeId memory) {
  const MemoryModel model = memory_model(graph, memory);
  return way(graph, from, memory).then(model.write, model.access);
}

Way way_from_memory(const topology::Graph& graph, NodeId memory, NodeId to) {
  const MemoryModel model = memory_model(graph, memory);
  return way(graph, memory, to).then(model.read, model.access);
}

Way way_between_memories(const topology::Graph& graph, NodeId from, NodeId to) {
  const MemoryModel model = memory_model(graph, to);
  return way_from_memory(graph, from, to).then(model.write, model.access);
}

Packets cut(const topology::Graph& graph, Bytes n, Bytes message) {
  const Bytes largest = graph.spec().system.packet_bytes;
  if (message == 0_B || largest == 0_B) message = n;
  Packets packets;
  for (; n > 0_B; n -= std::min(n, message)) {
    for (Bytes left = std::min(n, message); left > 0_B; left -= packets.back())
      packets.push_back(largest == 0_B ? left : std::min(left, largest));
  }
  return packets;
}

Packets control(const topology::Graph& graph, Bytes extra) {
  return cut(graph, graph.spec().system.control_bytes + extra);
}

Expected crossing(const Way& way, const Packets& packets) {
  Expected expected{.time = way.delay + way.slowest().serialization(sum(packets))};
  for (const Bandwidth server : way.servers) {
    for (const Bytes packet : packets) expected.slack += Time{divides(packet, server) ? 0 : 1};
  }
  return expected;
}

bool meets(Time measured, const Expected& expected) {
  return measured >= expected.time && measured <= expected.time + expected.slack;
}

std::string text(const Expected& expected) {
  return to_string(expected.time) + " (+" + std::to_string(expected.slack.count()) + " ps)";
}

}  // namespace kbsim::hw::test
