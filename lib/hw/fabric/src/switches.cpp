#include "kbsim/hw/fabric/switches.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"
#include "kbsim/hw/fabric/switch_ports.hpp"
#include "kbsim/sim/server_orders.hpp"

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
void check_switch(const topology::Graph& graph, NodeId node, const ISwitched* switched) {
  if (switched == nullptr || switched->input_queues() == nullptr) return;
  throw ConfigError{graph.node(node).model->at, graph.node(node).name,
                    fmt::format("'{}' has finite input queues and no switch that serves them; its component "
                                "must give one by make_switch()",
                                graph.node(node).model->impl)};
}

// Packets are flits there: to store one of them, or to give it a slot, isn't to store a packet.
void check_stores(const topology::Graph& graph) {
  for (const topology::Link& link : graph.links()) {
    const bool stores = graph.node(link.from).stores && graph.node(link.to).stores;
    if (!stores && link.slots == nullptr) continue;
    const bool leaves = graph.node(link.from).at.sip != graph.node(link.to).at.sip;
    throw Unsupported{fmt::format("{}.{} at {}, in a machine with routers that switch worms",
                                  leaves ? "system.sips.link" : "sip.ucie_link",
                                  stores ? "store_and_forward" : "credits", graph.node(link.to).name)};
  }
}

// Gives a switch the signals that are there by now.
[[gnu::cold]] void take_signals(const topology::Graph& graph, NodeId node, NodeSwitch& here, Time now) {
  const auto later = std::ranges::upper_bound(here.signals, now, {}, &Signal::at);
  const std::vector<Signal> there{here.signals.begin(), later};
  here.signals.erase(here.signals.begin(), later);
  for (const Signal& signal : there) {
    if (here.model->take_signal(signal.output, signal.value)) continue;
    const topology::Node& from = graph.node(graph.link(graph.out(node)[signal.output]).to);
    throw ConfigError{graph.node(node).model->at, graph.node(node).name,
                      fmt::format("the switch of '{}' takes no signals, and that of '{}' at {} sends some",
                                  graph.node(node).model->impl, from.model->impl, from.name)};
  }
}

// Only switches of worms keep the channel of a worm.
void check_worms(const topology::Graph& graph, NodeId node, const ISwitched& switched) {
  const InputQueues* queues = switched.input_queues();
  if (queues != nullptr && queues->worms) return;
  throw ConfigError{graph.node(node).model->at, graph.node(node).name,
                    fmt::format("'{}' has a switch of packets, and a link to a router that switches worms",
                                graph.node(node).model->impl)};
}

// nullptr: the component has no switch. Models are few, and a model without a switch is asked once.
std::vector<ISwitched*> switched_among(std::span<Component* const> components) {
  std::vector<ISwitched*> found;
  found.reserve(components.size());
  boost::unordered_flat_set<const std::type_info*> without;
  for (Component* const component : components) {
    const std::type_info* const model = &typeid(*component);
    found.push_back(without.contains(model) ? nullptr : component->offers<ISwitched>());
    if (found.back() == nullptr) without.insert(model);
  }
  return found;
}

}  // namespace

void Switches::connect(Bytes& flit, int& worm_flits) {
  places_.switched = switched_among(places_.components);
  for (LiveLink& link : places_.links) add_credits(link, flit, worm_flits);
  if (flit > 0_B) check_stores(fabric_.graph());
  add_processors();
  add_slots();
  for (std::uint32_t node = 0; node < places_.components.size(); ++node) add_switch(NodeId{node});
  places_.switched = {};
}

void Switches::require_causes(const LiveLink& link) const {
  if (link.from_switch() == nullptr) return;
  fabric_.causes()->have_switches();
  if (link.from_switch()->explains()) return;
  const topology::Node& node = fabric_.graph().node(link.from);
  throw Unsupported{
      fmt::format("--explain: the switch of {}, a {}, doesn't say why its packets wait: ISwitch::explains()",
                  node.name, node.model->impl)};
}

void Switches::add_credits(LiveLink& link, Bytes& flit, int& worm_flits) {
  const ISwitched* const to = places_.switched[link.to.value()];
  const InputQueues* const queues = to != nullptr ? to->input_queues() : nullptr;
  if (queues == nullptr) return;
  check_kind(fabric_.graph(), link.to);
  check_channels(fabric_.graph(), link.to, queues->vcs);
  check_packets(fabric_.graph(), link.to, *queues);
  link.make_rare().credits = std::make_unique<Credits>(*queues);
  if (!queues->worms) return;
  flit = flit == 0_B ? queues->worms->flit : std::min(flit, queues->worms->flit);
  worm_flits = worm_flits == 0 ? queues->worms->flits : std::min(worm_flits, queues->worms->flits);
}

// The two directions of a wire follow each other. A one-way link has no other direction.
void Switches::add_processors() {
  const std::span<const topology::Link> links = fabric_.graph().links();
  const auto has_processor = [](const topology::Link& link) {
    return link.framing != nullptr && link.framing->has_processor();
  };
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    if (has_processor(links[i])) add_processor(places_.links[i], *links[i].framing);
  }
  for (std::uint32_t i = 0; i + 1 < links.size(); ++i) {
    const topology::Link& link = links[i];
    const topology::Link& back = links[i + 1];
    if (!has_processor(link) || link.framing->receive == Time{0}) continue;
    if (back.from != link.to || back.to != link.from || back.framing != link.framing) continue;
    receive_by(places_.links[i], places_.links[i + 1]);
    receive_by(places_.links[i + 1], places_.links[i]);
    ++i;
  }
}

void Switches::add_processor(LiveLink& link, const config::ChipLinkSpec& wire) {
  if (link.credits() != nullptr)
    throw Unsupported{fmt::format("store_and_forward of a link to {}, which has finite input queues",
                                  fabric_.graph().node(link.to).name)};
  link.make_rare().processor = std::make_unique<PortProcessor>(wire.send_time(), wire.receive_time());
}

// The port at the end of the link sends by the link back.
void Switches::receive_by(LiveLink& link, LiveLink& back) {
  link.make_rare().receiver = back.processor();
  for (const LinkId out : fabric_.graph().out(link.to)) fabric_.live(out).make_rare().after_port = true;
}

bool Switches::needs_switch(LinkId link) const {
  const LiveLink& live = fabric_.live(link);
  return live.credits() != nullptr || live.processor() != nullptr || places_.slots.contains(live.from);
}

// Where a component has no switch, packets wait for credits in queues without limit, one for each channel. If
// they wait for the processor of a port, there is one for each channel and input: what comes from another
// chip doesn't wait for what goes there. If they wait for slots, what is on a ring doesn't wait for what
// enters it, either.
void Switches::add_switch(NodeId node) {
  const std::span<const LinkId> links = fabric_.graph().out(node);
  ISwitched* const switched = places_.switched[node.value()];
  std::unique_ptr<ISwitch> made;
  if (switched != nullptr) made = switched->make_switch(SwitchPorts{fabric_.owner(node), node});
  const bool own = made != nullptr;
  const auto takes_worms = [this](LinkId link) {
    return fabric_.live(link).credits() != nullptr && fabric_.live(link).credits()->queues().worms;
  };
  if (!own) check_switch(fabric_.graph(), node, switched);
  if (!own && std::ranges::none_of(links, [this](LinkId link) { return needs_switch(link); })) return;
  const bool to_worms = std::ranges::any_of(links, takes_worms);
  if (own && to_worms) check_worms(fabric_.graph(), node, *switched);
  if (!own) {
    const auto has_processor = [this](LinkId link) { return fabric_.live(link).processor() != nullptr; };
    const auto inputs = places_.slots.contains(node)                ? SwitchPorts::Inputs::by_ring
                        : std::ranges::any_of(links, has_processor) ? SwitchPorts::Inputs::by_link
                                                                    : SwitchPorts::Inputs::one;
    const auto make = to_worms ? make_worm_source : make_vc_switch;
    made = make(SwitchPorts{fabric_.owner(node), node, inputs}, arbiters().at("round_robin"));
  }
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    LiveLink& link = fabric_.live(links[i]);
    if (!own && !needs_switch(links[i])) continue;
    link.make_rare().from_switch = made.get();
    link.make_rare().output = i;
  }
  places_.switches.resize(fabric_.graph().nodes().size());
  places_.switches[node.value()] = std::make_unique<NodeSwitch>(std::move(made), own);
  any_ = true;
}

void Switches::queue(Packet& packet, Time ready, LiveLink& link) {
  packet.ready = ready;
  if (fabric_.causes() != nullptr) [[unlikely]]
    explain_queue(packet, link);
  link.rare->queued += link.lane.service(packet.size);
  link.lane.note_queue(link.rare->queued + std::max(Time{0}, link.lane.free() - fabric_.sim().now()));
  link.from_switch()->push(packet);
}

void Switches::receive(const Packet& packet) {
  if (packet.hop == 0) return;
  const LinkId id = packet.message->route[packet.hop - 1];
  const LiveLink& came = fabric_.live(id);
  if (came.rare == nullptr || came.rare->receiver == nullptr) return;
  PortProcessor& port = *came.rare->receiver;
  const Time done = port.after_receipt(packet.head);
  port.busy_until(done, fabric_.causes() != nullptr ? why_received(packet, id, port, done) : Cause{});
}

Cause Switches::why_received(const Packet& packet, LinkId came, const PortProcessor& port, Time done) {
  const Cause& from = port.free() > packet.head ? port.why_free() : fabric_.causes()->head(packet);
  return fabric_.causes()->causes().make(done, from, why(Reason::port_time, came, Bytes{1}));
}

// Packets that start at a node wait in the order in which they arrive there.
void Switches::explain_queue(const Packet& packet, const LiveLink& link) {
  const Cause& ready = fabric_.causes()->ready(packet, link.from, packet.ready - packet.head);
  if (packet.hop == 0)
    fabric_.causes()->causes().orders().comes_next(server(Reason::queue_head, link.from.value()), ready);
}

void Switches::allocate(NodeId node) {
  NodeSwitch* const here = any_ ? places_.switches[node.value()].get() : nullptr;
  if (here == nullptr) return;
  std::erase_if(here->wakes, [now = fabric_.sim().now()](Time at) { return at <= now; });
  if (!here->signals.empty()) [[unlikely]]
    take_signals(fabric_.graph(), node, *here, fabric_.sim().now());
  here->model->allocate();
}

// Each time is kept once. So how often a node looks again doesn't depend on the order of events.
void Switches::wake(NodeId node, Time at) {
  std::vector<Time>& wakes = places_.switches[node.value()]->wakes;
  if (std::ranges::find(wakes, at) != wakes.end()) return;
  wakes.push_back(at);
  fabric_.wake(fabric_.component(node), at);
}

// Each class of traffic and each phase of a route has channels of its own. In-order messages of one source
// and target always take the same one of these.
ChannelSet Switches::channels(const Packet& packet) const { return channels(packet, packet.hop); }

ChannelSet Switches::channels(const Packet& packet, std::uint32_t hop) const {
  const Message& message = *packet.message;
  const auto phases = static_cast<std::uint32_t>(fabric_.graph().phases());
  const auto classes = static_cast<std::uint32_t>(fabric_.graph().classes());
  const std::uint32_t phase = message.path->phases.empty() ? 0 : message.path->phases[hop];
  const std::uint32_t of_class = classes > 1 ? static_cast<std::uint32_t>(message.traffic_class) : 0;
  ChannelSet set{.first = of_class * phases + phase, .stride = classes * phases};
  if (message.in_order) set.flow = message.from.value() + message.to.value();
  return set;
}

void Switches::note_room(LinkId link, Time at, Bytes change) const {
  const InputQueues& queues = fabric_.live(link).credits()->queues();
  fabric_.spans()->take(
      {.link = link, .at = at, .change = change.count(), .all = queues.bytes.count() * queues.vcs});
}

// The queue is at the end of the link by which the packet arrived.
void Switches::give_back(const Packet& packet, Time tail_left) {
  if (packet.hop == 0) return;
  if (!places_.slots.empty()) give_back_slot(packet, tail_left);
  const LinkId link = packet.message->route[packet.hop - 1];
  const LiveLink& came = fabric_.live(link);
  if (!came.credits()) return;
  const std::optional<Worms>& worms = came.credits()->queues().worms;
  const Time at = tail_left + came.wire + (worms ? worms->credit : Time{0});
  came.credits()->give(at, packet.channel, packet.size);
  if (fabric_.spans() != nullptr) [[unlikely]]
    note_room(link, at, 0_B - came.credits()->taken_by(packet.size));
  if (fabric_.causes() != nullptr) [[unlikely]]
    explain_credit(packet, at, worms ? worms->credit : Time{0});
  wake(came.from, at);
}

// The credit goes back over the link by which the packet arrived.
void Switches::explain_credit(const Packet& packet, Time at, Time delay) {
  const LinkId link = packet.message->route[packet.hop - 1];
  const LiveLink& came = fabric_.live(link);
  Causes& causes = fabric_.causes()->causes();
  Cause there = causes.make(at - delay, fabric_.causes()->tail_left(), why(Reason::wire, link));
  if (delay > Time{0}) there = causes.make(at, there, why(Reason::credit_delay, came.to));
  causes.because(there);
  fabric_.causes()->give(link, packet.channel, came.credits()->taken_by(packet.size), std::move(there));
}

}  // namespace kbsim::hw
