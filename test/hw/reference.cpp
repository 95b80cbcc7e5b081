#include "reference.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "kbsim/topology/route.hpp"

#include "idle.hpp"

namespace kbsim::hw::test {
namespace {

// The head of a packet at a node. A hop that takes no time comes later within its time.
struct PacketArrival {
  Time head{};
  int step = 0;
  std::size_t port = 0;  // 0: it starts here
  std::size_t flow = 0;
  std::size_t packet = 0;
  std::size_t hop = 0;
  NodeId node;
  Bytes size;
  Time tail{};

  [[nodiscard]] auto key() const { return std::tuple{head, step, node.value(), port, flow, packet}; }
  bool operator<(const PacketArrival& other) const { return key() < other.key(); }
};

// Ports of packages are the ends of system.sips.link, all others of sip.ucie_link.
bool stores(const topology::Graph& graph, NodeId id) {
  const topology::Node& node = graph.node(id);
  const config::MachineSpec& spec = graph.spec();
  const bool of_package = node.name.find(".io.port_") != std::string::npos;
  return node.kind == topology::NodeKind::ucie &&
         (of_package ? spec.system.sips.link : spec.sip.ucie_link).store_and_forward;
}

// `port`: the link's at its end.
PacketArrival next_hop(const topology::Graph& graph, const PacketArrival& now, LinkId id, std::size_t port,
                       Time& free) {
  const topology::Link& link = graph.link(id);
  const Time o = overhead(graph.node(now.node));
  const Time start = std::max(now.head + o, free);
  const Time end = std::max(start + service_time(link, now.size), now.tail + o);
  free = end;
  PacketArrival next = now;
  next.head = start + link.wire;
  next.tail = end + link.wire;
  if (stores(graph, link.to)) next.head = next.tail;
  next.step = next.head == now.head ? now.step + 1 : 0;
  next.port = port;
  next.node = link.to;
  ++next.hop;
  return next;
}

}  // namespace

std::vector<Time> reference_arrivals(const topology::Graph& graph, const std::vector<Flow>& flows) {
  topology::Routes routes{graph};
  const std::vector<std::size_t> ports = ports_of(graph);
  std::set<PacketArrival> todo;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const Packets packets = cut(graph, flows[f].size);
    for (std::size_t p = 0; p < packets.size(); ++p)
      todo.insert({.head = flows[f].at,
                   .flow = f,
                   .packet = p,
                   .node = flows[f].from,
                   .size = packets[p],
                   .tail = flows[f].at});
  }
  std::map<LinkId, Time> free;
  std::vector<Time> last(flows.size());
  while (!todo.empty()) {
    const PacketArrival now = *todo.begin();
    todo.erase(todo.begin());
    const Flow& flow = flows[now.flow];
    const topology::Route& route = routes(flow.from, flow.to, network_of(graph, flow));
    if (now.hop == route.size()) {
      last[now.flow] = std::max(last[now.flow], now.tail);
    } else {
      const LinkId link = route[now.hop];
      todo.insert(next_hop(graph, now, link, ports[link.value()], free[link]));
    }
  }
  return last;
}

}  // namespace kbsim::hw::test
