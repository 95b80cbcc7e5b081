#include "kbsim/hw/fabric/network.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/noc_number.hpp"

#include "paths.hpp"
#include "shared_places.hpp"

namespace kbsim::hw {
namespace {

std::shared_ptr<SharedPlaces> places_of(const topology::Graph& graph) {
  auto places = std::make_shared<SharedPlaces>();
  const std::size_t nodes = graph.nodes().size();
  places->components.resize(nodes);
  places->inputs.resize(nodes);
  places->arrivals.resize(nodes);
  places->sources.resize(nodes);
  places->links.reserve(graph.links().size());
  for (const topology::Link& link : graph.links()) {
    places->links.push_back({.lane = Lane{link.bandwidth, link.framing},
                             .wire = link.wire,
                             .from = link.from,
                             .to = link.to,
                             .port = ++places->inputs[link.to.value()]});
    if (graph.node(link.to).stores) places->links.back().make_rare().stores = true;
  }
  return places;
}

}  // namespace

Network::Network(Simulation& sim, const topology::Graph& graph)
    : sim_{sim},
      graph_{graph},
      paths_{std::make_unique<Paths>(graph)},
      places_{places_of(graph)},
      links_{places_->links},
      components_{places_->components},
      arrivals_{places_->arrivals},
      sources_{places_->sources} {}

Network::Network(const Network& whole, Simulation& sim)
    : sim_{sim},
      graph_{whole.graph_},
      paths_{std::make_unique<Paths>(whole.graph_)},
      places_{whole.places_},
      links_{whole.links_},
      components_{whole.components_},
      arrivals_{whole.arrivals_},
      sources_{whole.sources_} {}

Network::~Network() = default;

Fabric& Network::owner(NodeId node) const { return component(node).fabric(); }

bool Network::is_whole() const { return places_->fabrics.size() == 1; }

std::uint32_t Network::inputs(NodeId node) const { return places_->inputs[node.value()]; }

bool Network::takes_time(const LiveLink& link) const {
  return component(link.from).steady_overhead() + link.wire > Time{0};
}

bool Network::goes_at_once(const LiveLink& link) const {
  return link.from_switch() == nullptr && link.credits() == nullptr && !link.is_observed() &&
         takes_time(link);
}

Path& Network::path(NodeId from, NodeId to, TrafficClass traffic_class) {
  return paths_->between(
      from, to, noc_number(graph_, from, to, traffic_class),
      [this](NodeId node) { return component(node).steady_overhead(); },
      [this](NodeId node) { __builtin_prefetch(&component(node)); });
}

// A node mostly sends to the same few nodes.
Path& Network::path(MessageSource& source, const Message& message) {
  const int network = noc_number(graph_, message.from, message.to, message.traffic_class);
  for (std::size_t i = 0; i < source.to.size(); ++i) {
    if (source.to[i] == message.to && source.network[i] == network && source.paths[i] != nullptr)
      return *source.paths[i];
  }
  source.to[1] = std::exchange(source.to[0], message.to);
  source.network[1] = std::exchange(source.network[0], network);
  source.paths[1] = std::exchange(source.paths[0], &path(message.from, message.to, message.traffic_class));
  return *source.paths[0];
}

Bytes Network::packet_size(Bytes size) const {
  for (const Bytes largest : {graph_.spec().system.packet_bytes, flit_}) {
    if (largest > 0_B) size = std::min(size, largest);
  }
  return size;
}

// Such a node itself never passes a packet on in zero time. So packets sent to it at the present time are
// sent late, and by other nodes.
void Network::add_arrivals() {
  for (std::uint32_t i = 0; i < components_.size(); ++i) {
    const Component& at = *components_[i];
    const auto some_time = [&](LinkId link) { return takes_time(live(link)); };
    const bool has_switch = !places_->switches.empty() && places_->switches[i] != nullptr;
    if (at.only_passes_on() && !has_switch && std::ranges::all_of(graph_.out(NodeId{i}), some_time))
      arrivals_[i] = std::make_unique<Merge<Packet>>(at.fabric().sim(), at.name(), places_->inputs[i]);
  }
  for (LiveLink& link : links_) link.arrivals = arrivals_[link.to.value()].get();
}

void Network::add_delivered(std::uint32_t first, std::span<Bytes> delivered) const {
  for (const Path& path : paths_->all()) {
    for (const LinkId id : path.route) {
      const std::uint32_t place = id.value() - first;  // wraps around for ids below `first`
      if (place < delivered.size()) delivered[place] += path.delivered;
    }
  }
}

}  // namespace kbsim::hw
