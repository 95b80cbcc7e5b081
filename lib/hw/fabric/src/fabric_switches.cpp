// The fabric where nodes have switches: virtual channels and credits.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/i_shortcut.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"

#include "impl/vc_switch.hpp"
#include "impl/worm_source.hpp"
#include "shared_places.hpp"

namespace kbsim::hw {
namespace {

void check_channels(const topology::Graph& graph, NodeId node, int vcs) {
  if (vcs >= graph.classes() * graph.phases()) return;
  throw ConfigError{
      graph.node(node).model->place_of({"vcs"}), graph.node(node).name,
      fmt::format("vcs: expected at least {} (classes of traffic: {}, phases of a route: {}; none "
                  "may wait for another), got {}",
                  graph.classes() * graph.phases(), graph.classes(), graph.phases(), vcs)};
}

void check_packets(const topology::Graph& graph, NodeId node, const InputQueues& queues) {
  const Bytes packet = graph.spec().system.packet_bytes;
  if (packet <= queues.bytes || queues.worms) return;
  throw ConfigError{graph.node(node).model->place_of({"buffer_bytes"}), graph.node(node).name,
                    fmt::format("buffer_bytes: {} can't hold a packet of {} (system.packet_bytes)",
                                to_string(queues.bytes), to_string(packet))};
}

void check_kind(const topology::Graph& graph, NodeId node) {
  if (graph.node(node).kind == topology::NodeKind::router) return;
  throw ConfigError{graph.node(node).model->at, graph.node(node).name,
                    fmt::format("'{}' has finite input queues: only routers can, where no route ends",
                                graph.node(node).model->impl)};
}

// The switch that sends a packet on gives back the room of the packet in its queue.
void check_switch(const topology::Graph& graph, NodeId node, const Component& component) {
  if (component.input_queues() == nullptr) return;
  throw ConfigError{graph.node(node).model->at, graph.node(node).name,
                    fmt::format("'{}' has finite input queues and no switch that serves them; its component "
                                "must override make_switch()",
                                graph.node(node).model->impl)};
}

// Only switches of worms keep the channel of a worm.
void check_worms(const topology::Graph& graph, NodeId node, const Component& component) {
  const InputQueues* queues = component.input_queues();
  if (queues != nullptr && queues->worms) return;
  throw ConfigError{graph.node(node).model->at, graph.node(node).name,
                    fmt::format("'{}' has a switch of packets, and a link to a router that switches worms",
                                graph.node(node).model->impl)};
}

}  // namespace

void Fabric::connect() {
  for (LiveLink& link : links_) add_credits(link);
  for (std::uint32_t node = 0; node < components_.size(); ++node) add_switch(NodeId{node});
  add_arrivals();
  for (Fabric* const fabric : places_->fabrics) {
    fabric->has_switches_ = has_switches_;
    fabric->flit_ = flit_;
    fabric->worm_flits_ = worm_flits_;
    if (shortcut_maker() != nullptr) fabric->shortcut_ = shortcut_maker()(*fabric);
    if (!fabric->is_exact_) fabric->ahead_ = fabric->shortcut_.get();
  }
  if (causes_) std::ranges::for_each(links_, [this](const LiveLink& link) { require_causes(link); });
}

void Fabric::require_causes(const LiveLink& link) const {
  if (link.from_switch() == nullptr) return;
  causes_->have_switches();
  if (link.from_switch()->explains()) return;
  const topology::Node& node = graph_.node(link.from);
  throw Unsupported{
      fmt::format("--explain: the switch of {}, a {}, doesn't say why its packets wait: ISwitch::explains()",
                  node.name, node.model->impl)};
}

bool Fabric::takes_time(const LiveLink& link) const {
  return component(link.from).overhead() + link.wire > Time{0};
}

// Such a node itself never passes a packet on in zero time. So packets sent to it at the present time are
// sent late, and by other nodes.
void Fabric::add_arrivals() {
  for (std::uint32_t i = 0; i < components_.size(); ++i) {
    const Component& at = *components_[i];
    const auto some_time = [&](LinkId link) { return takes_time(live(link)); };
    const bool has_switch = has_switches_ && places_->switches[i] != nullptr;
    if (at.only_passes_on() && !has_switch && std::ranges::all_of(graph_.out(NodeId{i}), some_time))
      arrivals_[i] = std::make_unique<Merge<Packet>>(owner(NodeId{i}).sim_, at.name(), places_->inputs[i]);
  }
  for (LiveLink& link : links_) link.arrivals = arrivals_[link.to.value()].get();
}

void Fabric::add_credits(LiveLink& link) {
  const InputQueues* queues = component(link.to).input_queues();
  if (queues == nullptr) return;
  check_kind(graph_, link.to);
  check_channels(graph_, link.to, queues->vcs);
  check_packets(graph_, link.to, *queues);
  link.make_rare().credits = std::make_unique<Credits>(*queues);
  if (!queues->worms) return;
  flit_ = flit_ == 0_B ? queues->worms->flit : std::min(flit_, queues->worms->flit);
  worm_flits_ = worm_flits_ == 0 ? queues->worms->flits : std::min(worm_flits_, queues->worms->flits);
}

// Where a component has no switch, packets wait for credits in queues without limit, one for each channel.
void Fabric::add_switch(NodeId node) {
  const std::span<const LinkId> links = graph_.out(node);
  const auto needs_credits = [this](LinkId link) { return live(link).credits() != nullptr; };
  std::unique_ptr<ISwitch> made = component(node).make_switch(SwitchPorts{owner(node), node});
  const bool own = made != nullptr;
  const auto takes_worms = [this](LinkId link) {
    return live(link).credits() != nullptr && live(link).credits()->queues().worms;
  };
  if (!own) check_switch(graph_, node, component(node));
  if (!own && std::ranges::none_of(links, needs_credits)) return;
  const bool to_worms = std::ranges::any_of(links, takes_worms);
  if (own && to_worms) check_worms(graph_, node, component(node));
  if (!own) {
    const auto make = to_worms ? make_worm_source : make_vc_switch;
    made = make(SwitchPorts{owner(node), node, true}, arbiters().at("round_robin"));
  }
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    LiveLink& link = live(links[i]);
    if (!own && link.credits() == nullptr) continue;
    link.make_rare().from_switch = made.get();
    link.make_rare().output = i;
  }
  places_->switches.resize(components_.size());
  places_->switches[node.value()] = std::make_unique<NodeSwitch>(std::move(made));
  has_switches_ = true;
}

void Fabric::queue(Packet& packet, Time ready, LiveLink& link) {
  packet.ready = ready;
  if (causes_) [[unlikely]]
    explain_queue(packet, link);
  link.rare->queued += link.lane.rate().serialization(packet.size);
  link.lane.note_queue(link.rare->queued + std::max(Time{0}, link.lane.free() - sim_.now()));
  link.from_switch()->push(packet);
}

// Packets that start at a node wait in the order in which they arrive there.
void Fabric::explain_queue(const Packet& packet, const LiveLink& link) {
  const Cause& ready = causes_->ready(packet, link.from, packet.ready - packet.head);
  if (packet.hop == 0) causes_->causes().comes_next(server(Reason::queue_head, link.from.value()), ready);
}

void Fabric::allocate(NodeId node) {
  NodeSwitch* const here = has_switches_ ? places_->switches[node.value()].get() : nullptr;
  if (here == nullptr) return;
  std::erase_if(here->wakes, [now = sim_.now()](Time at) { return at <= now; });
  here->model->allocate();
}

// Each time is kept once. So how often a node looks again doesn't depend on the order of events.
void Fabric::wake(NodeId node, Time at) {
  std::vector<Time>& wakes = places_->switches[node.value()]->wakes;
  if (std::ranges::find(wakes, at) != wakes.end()) return;
  wakes.push_back(at);
  wake(component(node), at);
}

// Each class of traffic and each phase of a route has channels of its own. In-order messages of one source
// and target always take the same one of these.
ChannelSet Fabric::channels(const Packet& packet) const {
  const Message& message = *packet.message;
  const auto phases = static_cast<std::uint32_t>(graph_.phases());
  const auto classes = static_cast<std::uint32_t>(graph_.classes());
  const std::uint32_t phase = message.path->phases.empty() ? 0 : message.path->phases[packet.hop];
  const std::uint32_t of_class = classes > 1 ? static_cast<std::uint32_t>(message.traffic_class) : 0;
  ChannelSet set{.first = of_class * phases + phase, .stride = classes * phases};
  if (message.in_order) set.flow = message.from.value() + message.to.value();
  return set;
}

void Fabric::note_room(LinkId link, Time at, Bytes change) const {
  const InputQueues& queues = links_[link.value()].credits()->queues();
  spans_->take({.link = link, .at = at, .change = change.count(), .all = queues.bytes.count() * queues.vcs});
}

// The queue is at the end of the link by which the packet arrived.
void Fabric::give_back(const Packet& packet, Time tail_left) {
  if (packet.hop == 0) return;
  const LinkId link = packet.message->route[packet.hop - 1];
  const LiveLink& came = live(link);
  if (!came.credits()) return;
  const std::optional<Worms>& worms = came.credits()->queues().worms;
  const Time at = tail_left + came.wire + (worms ? worms->credit : Time{0});
  came.credits()->give(at, packet.channel, packet.size);
  if (spans_ != nullptr) [[unlikely]]
    note_room(link, at, 0_B - came.credits()->taken_by(packet.size));
  if (causes_) [[unlikely]]
    explain_credit(packet, at, worms ? worms->credit : Time{0});
  wake(came.from, at);
}

// The credit goes back over the link by which the packet arrived.
void Fabric::explain_credit(const Packet& packet, Time at, Time delay) {
  const LinkId link = packet.message->route[packet.hop - 1];
  const LiveLink& came = live(link);
  Causes& causes = causes_->causes();
  Cause there = causes.make(at - delay, causes_->tail_left(), why(Reason::wire, link));
  if (delay > Time{0}) there = causes.make(at, there, why(Reason::credit_delay, came.to));
  causes.because(there);
  causes_->give(link, packet.channel, came.credits()->taken_by(packet.size), std::move(there));
}

}  // namespace kbsim::hw
