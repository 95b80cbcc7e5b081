// The fabric where queues are finite: virtual channels and credits.
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"

#include "vc_switch.hpp"

namespace kbsim::hw {
namespace {

void check_channels(const topology::Graph& graph, NodeId node, int vcs) {
  if (vcs >= graph.classes() * graph.phases()) return;
  throw ConfigError{
      graph.node(node).model->at, graph.node(node).name,
      fmt::format("vcs: expected at least {} (classes of traffic: {}, phases of a route: {}; none "
                  "may wait for another), got {}",
                  graph.classes() * graph.phases(), graph.classes(), graph.phases(), vcs)};
}

void check_packets(const topology::Graph& graph, NodeId node, const InputQueues& queues) {
  const Bytes packet = graph.spec().system.packet_bytes;
  if (packet <= queues.bytes) return;
  throw ConfigError{graph.node(node).model->at, graph.node(node).name,
                    fmt::format("buffer_bytes: {} can't hold a packet of {} (system.packet_bytes)",
                                to_string(queues.bytes), to_string(packet))};
}

void check_kind(const topology::Graph& graph, NodeId node) {
  if (graph.node(node).kind == topology::NodeKind::router) return;
  throw ConfigError{graph.node(node).model->at, graph.node(node).name,
                    fmt::format("'{}' has finite input queues: only routers can, where no route ends",
                                graph.node(node).model->impl)};
}

}  // namespace

void Fabric::connect() {
  switches_.resize(components_.size());
  std::vector<std::vector<LinkId>> incoming(components_.size());  // by port
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    LiveLink& link = links_[i];
    const InputQueues* queues = component(link.to).input_queues();
    if (queues == nullptr) continue;
    check_kind(graph_, link.to);
    check_channels(graph_, link.to, queues->vcs);
    check_packets(graph_, link.to, *queues);
    link.credits = std::make_unique<Credits>(*queues);
    has_credits_ = true;
    incoming[link.to.value()].push_back(LinkId{i});
  }
  if (!has_credits_) return;
  for (std::uint32_t node = 0; node < components_.size(); ++node)
    make_switch(NodeId{node}, std::move(incoming[node]));
}

// Finite queues feed all links of their node; else only links that need credits have queues.
void Fabric::make_switch(NodeId node, std::vector<LinkId> incoming) {
  const InputQueues* own = component(node).input_queues();
  std::vector<LinkId> outputs;
  for (const LinkId id : graph_.out(node)) {
    if (own != nullptr || live(id).credits) outputs.push_back(id);
  }
  if (outputs.empty()) return;
  const int channels = own != nullptr ? own->vcs : graph_.classes() * graph_.phases();
  auto& made = switches_[node.value()];
  made = std::make_unique<VcSwitch>(*this, node, std::move(incoming), outputs,
                                    static_cast<std::uint32_t>(channels));
  for (const LinkId id : outputs) live(id).queues = made.get();
}

void Fabric::allocate(NodeId node) {
  if (VcSwitch* queues = switches_[node.value()].get()) queues->allocate();
}

// Each class of traffic and each phase of a route has channels of its own. Messages of one source and target
// that are in order take always the same channel of theirs.
ChannelSet Fabric::channels(const Packet& packet) const {
  const Message& message = *packet.message;
  const auto phases = static_cast<std::uint32_t>(graph_.phases());
  const auto classes = static_cast<std::uint32_t>(graph_.classes());
  const std::uint32_t phase = message.way->phases.empty() ? 0 : message.way->phases[packet.hop];
  const std::uint32_t of_class = classes > 1 ? static_cast<std::uint32_t>(message.channel) : 0;
  ChannelSet set{.first = of_class * phases + phase, .stride = classes * phases};
  if (message.in_order) set.flow = message.from.value() + message.to.value();
  return set;
}

std::optional<std::uint32_t> Fabric::room_ahead(const LiveLink& link, const Packet& packet) const {
  if (!link.credits) return 0;
  if (packet.size > link.credits->capacity()) {
    const topology::Node& node = graph_.node(link.to);
    throw ConfigError{node.model->at, node.name,
                      fmt::format("buffer_bytes: {} can't hold a packet of {}",
                                  to_string(link.credits->capacity()), to_string(packet.size))};
  }
  return link.credits->choose(channels(packet), packet.size, sim_.now());
}

void Fabric::give_back(LinkId id, std::uint32_t channel, Bytes size, Time tail_left) {
  LiveLink& link = live(id);
  const Time at = tail_left + link.wire;
  link.credits->give(at, channel, size);
  link.queues->wake(at);
}

}  // namespace kbsim::hw
