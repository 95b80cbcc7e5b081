#include "kbsim/hw/fabric/fabric.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric_border.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/i_shortcut.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"
#include "kbsim/sim/windows.hpp"

#include "paths.hpp"
#include "shared_places.hpp"

namespace kbsim::hw {
void Recycle::operator()(Message* message) const {
  message->body.reset();
  fabric->free_messages_.push_back(message);
}

Fabric::Fabric(Simulation& sim, const topology::Graph& graph)
    : sim_{sim},
      graph_{graph},
      paths_{std::make_unique<Paths>(graph)},
      places_{std::make_shared<SharedPlaces>()} {
  const std::size_t nodes = graph.nodes().size();
  places_->fabrics = {this};
  places_->components.resize(nodes);
  places_->inputs.resize(nodes);
  places_->arrivals.resize(nodes);
  places_->sources.resize(nodes);
  places_->links.reserve(graph.links().size());
  for (const topology::Link& link : graph.links()) {
    places_->links.push_back({.lane = Lane{link.bandwidth},
                              .wire = link.wire,
                              .from = link.from,
                              .to = link.to,
                              .port = ++places_->inputs[link.to.value()]});
  }
  know_places();
  if (sim.causes() == nullptr) return;
  causes_ = std::make_unique<FabricCauses>(*sim.causes(), links_.size());
  exact_packets();
}

Fabric::~Fabric() { std::erase(places_->fabrics, this); }

void Fabric::attach(NodeId node, Component& component) { components_[node.value()] = &component; }

const std::vector<LiveLink>& Fabric::links() const {
  if (places_->fabrics.size() > 1 && Windows::running())
    throw Unsupported{"all links are asked for while packages run side by side: --num-threads 1"};
  for (Fabric* const fabric : places_->fabrics) {
    if (fabric->shortcut_ != nullptr) fabric->shortcut_->flush();
  }
  return places_->links;
}

Bytes Fabric::packet_size(Bytes size) const {
  for (const Bytes largest : {graph_.spec().system.packet_bytes, flit_}) {
    if (largest > 0_B) size = std::min(size, largest);
  }
  return size;
}

MessagePtr Fabric::make(NodeId from, NodeId to, Bytes size, TrafficClass traffic_class, MessageBody body) {
  ensure(size > 0_B, "a message without bytes");
  if (free_messages_.empty()) free_messages_.push_back(&fresh_message());
  Message* message = free_messages_.back();
  free_messages_.pop_back();
  const BodyTraits& traits = body.traits();
  message->from = from;
  message->to = to;
  message->size = size;
  message->traffic_class = traffic_class;
  message->origin = 0;
  message->injected = 0;
  message->served = Time{0};
  message->cut_through = traits.cut_through && component(to).takes_heads();
  message->in_order = traits.in_order;
  message->hops.clear();
  message->body = std::move(body);
  return {message, Recycle{this}};
}

// A node mostly sends to the same few nodes.
[[gnu::always_inline]] inline Path& Fabric::path(MessageSource& source, const Message& message) {
  for (std::size_t i = 0; i < source.to.size(); ++i) {
    if (source.to[i] == message.to && source.paths[i] != nullptr) return *source.paths[i];
  }
  source.to[1] = std::exchange(source.to[0], message.to);
  source.paths[1] = std::exchange(source.paths[0], &path(message.from, message.to));
  return *source.paths[0];
}

Message& Fabric::open(MessagePtr owned) {
  ensure(arrivals_[owned->from.value()] == nullptr,
         [&] { return component(owned->from).name() + " only passes packets on, and sends one"; });
  Message& message = *owned.release();
  MessageSource& source = sources_[message.from.value()];
  message.path = &path(source, message);
  message.route = message.path->route;
  take(*message.path);
  message.sequence = ++source.sequence;
  ++opened_;
  message.packets_left = ceil_div(message.size.count(), packet_size(message.size).count());
  message.packets = static_cast<std::uint32_t>(message.packets_left);
  return message;
}

Packet& Fabric::next_packet(Message& message, Bytes size, Time head, Time tail) {
  if (message.injected == 0) message.sent = head;
  message.source_tail = tail;
  Packet& packet = allocate();
  packet =
      Packet{.message = &message, .size = size, .head = head, .tail = tail, .ordinal = message.injected++};
  packet.injected = head;
  under_way_ -= head;
  return packet;
}

void Fabric::inject(Message& message, Bytes size, Time head, Time tail, bool leads) {
  Packet& packet = next_packet(message, size, head, tail);
  packet.leads = leads;
  if (notes_ != 0) [[unlikely]]
    packet.noted = message.injected == message.packets_left ? notes_ : notes_ & kSpans;
  if (ahead_ != nullptr && !leads && !at_end(packet) && ahead_->leave(packet)) return;
  const bool at_head = !at_end(packet) || message.cut_through;
  if (causes_) [[unlikely]] {
    causes_->inject(packet);
    explain_post(packet, at_head);
  }
  components_[message.from.value()]->inbox().post(at_head ? head : tail, packet);
}

// A packet that can't join those before it is injected by itself.
void Fabric::inject(Message& message, PacketRun run) {
  while (run.count > 0) {
    inject(message, run.size, run.head, run.tail);
    run.drop(1);
    if (run.count == 0 || ahead_ == nullptr || message.route.empty()) continue;
    const std::int64_t more = ahead_->follow(message, nullptr, run);
    message.injected += static_cast<std::uint32_t>(more);
    under_way_ -= more * run.head + more * (more - 1) / 2 * run.gap;
    run.drop(more);
    if (more > 0) message.source_tail = run.tail - run.gap;
  }
}

void Fabric::send(MessagePtr owned, Time head, Time tail) { send(open(std::move(owned)), head, tail); }

void Fabric::send(Message& message, Time head, Time tail) {
  const Bytes largest = packet_size(message.size);
  if (is_train(message, head, tail)) [[unlikely]] {
    return inject(message, largest, head, tail, true);
  }
  Bytes left = message.size;
  for (std::int64_t i = message.packets_left; i > 0; --i) {
    const Bytes size = std::min(left, largest);
    left -= size;
    inject(message, size, head, tail);
  }
}

[[gnu::always_inline]] void Fabric::forward(Packet& packet, Time overhead) {
  LiveLink& link = next_link(packet);
  if (link.from_switch() != nullptr) [[unlikely]]
    return queue(packet, packet.head + overhead, link);
  IShortcut::Meeting meeting;
  if (link.is_reserved()) meeting = shortcut_->before(link, packet, overhead);
  const Lane::Slot slot =
      meeting.slot ? *meeting.slot
                   : link.lane.reserve(packet.head + overhead, packet.tail + overhead, packet.size);
  if (causes_) [[unlikely]]
    explain(packet, link, overhead, slot);
  if (packet.leads) [[unlikely]]
    lead(packet, overhead, slot.end);
  cross(packet, link, slot);
  if (meeting.reserves_again) [[unlikely]]
    shortcut_->reserve_again();
}

// No earlier packet waits at the source to be sent, and this one arrives at its next node later than now. So
// no component observes in which phase it has left.
void Fabric::depart(MessagePtr owned) {
  const Time now = sim_.now();
  Message& message = open(std::move(owned));
  Component& source = component(message.from);
  const bool whole = ahead_ != nullptr && message.packets_left == 1 && !message.route.empty();
  if (!whole || !source.inbox().awaited() || !goes_at_once(live(message.route.front())))
    return send(message, now, now);
  forward(next_packet(message, message.size, now, now), source.overhead());
}

bool Fabric::goes_at_once(const LiveLink& link) const {
  return link.from_switch() == nullptr && link.credits() == nullptr && takes_time(link);
}

// At finite queues a packet shows up when its head has passed the pipeline: until then it can't do anything.
[[gnu::always_inline]] void Fabric::cross(Packet& packet, LiveLink& link, const Lane::Slot& slot) {
  if (packet.noted != 0) [[unlikely]]
    note_hop(packet, slot);
  packet.head = slot.start + link.wire;
  packet.tail = slot.end + link.wire;
  packet.port = link.port;
  ++packet.hop;
  if (link.rare != nullptr && link.rare->border != nullptr) [[unlikely]] {
    link.rare->border->post(packet.head, {packet, &link});
    return free(packet);
  }
  if (link.arrivals != nullptr) packet.late = packet.head == sim_.now() ? late_now() : 0;
  if (ahead_ != nullptr && (link.arrivals == nullptr || packet.late == 0))
    return ahead_->arrive(packet, link);
  arrive_by_event(packet, link);
}

void Fabric::arrive_by_event(Packet& packet, LiveLink& link) {
  if (link.arrivals != nullptr) [[likely]]
    return link.arrivals->push(link.port - 1, packet);
  Component& next = component(link.to);
  if (link.credits()) [[unlikely]] {
    if (causes_) explain_entry(packet, link);
    return next.inbox().post(packet.head + next.overhead() - link.credits()->lookahead(), packet);
  }
  const bool at_head = !at_end(packet) || packet.message->cut_through;
  if (causes_) [[unlikely]]
    explain_post(packet, at_head);
  const Time comes = at_head ? packet.head : packet.tail;
  packet.late = comes == sim_.now() ? late_now() : 0;
  next.inbox().post(comes, packet);
}

void Fabric::record_spans(ISpans* spans) {
  ensure(spans == nullptr || places_->fabrics.size() == 1, "several processes record no spans");
  spans_ = spans;
  if (spans != nullptr) exact_packets();
  notes_ = static_cast<std::uint8_t>((notes_ & kTraces) | (spans == nullptr ? 0 : kSpans));
}

void Fabric::explain_post(const Packet& packet, bool at_head) const {
  sim_.causes()->because(at_head ? causes_->head(packet) : causes_->tail(packet));
}

void Fabric::explain_entry(const Packet& packet, const LiveLink& link) {
  const Time overhead = component(link.to).overhead();
  const Time lookahead = link.credits()->lookahead();
  const Cause& ready = causes_->ready(packet, link.to, overhead);
  Causes& causes = causes_->causes();
  causes.because(lookahead == Time{0} ? ready
                                      : causes.make_back(packet.head + overhead - lookahead, ready,
                                                         why(Reason::lookahead, link.to)));
}

void Fabric::explain(Packet& packet, const LiveLink& link, Time overhead, const Lane::Slot& slot) {
  const LinkId id = packet.message->route[packet.hop];
  causes_->serve(packet, id, link.from, overhead, slot, link.lane.rate().serialization(packet.size));
}

void Fabric::note_hop(const Packet& packet, const Lane::Slot& slot) const {
  if ((packet.noted & kSpans) != 0) note_span(packet, slot);
  if ((packet.noted & kTraces) == 0) return;
  const LinkId link = packet.message->route[packet.hop];
  packet.message->hops.push_back({.link = link, .arrive = packet.head, .start = slot.start, .end = slot.end});
}

// The link is busy for the packet's service time, which a late tail doesn't make longer.
void Fabric::note_span(const Packet& packet, const Lane::Slot& slot) const {
  const Message& message = *packet.message;
  const LinkId id = message.route[packet.hop];
  const LiveLink& link = links_[id.value()];
  spans_->add_packet({.link = id,
                      .what = message.body.traits().name,
                      .ready = std::min(slot.start, packet.head + component(link.from).overhead()),
                      .start = slot.start,
                      .end = slot.start + link.lane.rate().serialization(packet.size),
                      .bytes = packet.size,
                      .id = (std::uint64_t{message.from.value()} << 32) | message.sequence});
}

MessagePtr Fabric::arrived(Packet& packet) {
  Message* message = packet.message;
  const Time tail = packet.tail;
  if (ahead_ != nullptr) ahead_->accept_before(packet);
  under_way_ += packet.head;
  if (causes_) [[unlikely]]
    causes_->arrived(packet);
  free(packet);
  if (--message->packets_left > 0) return {nullptr, Recycle{this}};
  account(*message, tail);
  return {message, Recycle{this}};
}

void Fabric::free(Packet& packet) {
  packet.message = nullptr;
  free_packets_.push_back(&packet);
}

void Fabric::forget(Packet& packet) {
  const MessagePtr message{packet.message, Recycle{this}};
  under_way_ += packet.injected;
  free(packet);
  --opened_;
}

void Fabric::wake(Component& sleeper, Time at) {
  has_wakes_ = true;
  Packet& wake = allocate();
  wake.message = nullptr;
  sleeper.inbox().post(at, wake);
}

void Fabric::drop_wakes(std::vector<Packet*>& packets) {
  std::erase_if(packets, [this](Packet* packet) {
    if (packet->message == nullptr) free_packets_.push_back(packet);
    return packet->message == nullptr;
  });
}

Packet& Fabric::allocate() {
  if (free_packets_.empty()) return fresh_packet();
  Packet* packet = free_packets_.back();
  free_packets_.pop_back();
  return *packet;
}

Path& Fabric::path(NodeId from, NodeId to) {
  return paths_->between(
      from, to, [this](NodeId node) { return component(node).overhead(); },
      [this](NodeId node) { __builtin_prefetch(&component(node)); });
}

void Fabric::take(Path& path) {
  if (!std::exchange(path.taken, true) && ahead_ != nullptr) ahead_->know(path.route);
}

Split Fabric::split(const Message& message, Time arrival) {
  const Path& path = *message.path;
  Split split{.overhead = path.overhead, .wire = path.wire, .drain = message.source_tail - message.sent};
  if (!path.route.empty()) split.drain = std::max(split.drain, serialization(message.size, path.slowest));
  split.queueing = arrival - message.sent - split.total();
  return split;
}

void Fabric::account(const Message& message, Time arrival) {
  const Split parts = split(message, arrival);
  if (parts.queueing < Time{0}) [[unlikely]]
    throw_internal("physics audit: a message from " + graph_.node(message.from).name + " beat its bound");
  ++attribution_.messages;
  attribution_.split += parts;
  message.path->delivered += message.size;
  if ((notes_ & kTraces) == 0) return;
  traces_.push_back({.from = message.from,
                     .to = message.to,
                     .size = message.size,
                     .sent = message.sent,
                     .arrived = arrival,
                     .split = parts,
                     .hops = message.hops});
}

void Fabric::audit() const {
  std::int64_t opened = 0;
  Time under_way{};
  (void)links();  // brings the links up to date
  for (const Fabric* fabric : places_->fabrics) {
    opened += fabric->opened_;
    under_way += fabric->under_way_;
  }
  ensure(opened == attribution().messages, "physics audit: messages were sent that never arrived");
  // The delivered bytes take memory, and each part takes a walk over all paths.
  constexpr std::uint32_t kAtOnce = 1U << 18U;
  for (std::uint32_t first = 0; first < links_.size(); first += kAtOnce)
    audit_links(first, std::min(kAtOnce, static_cast<std::uint32_t>(links_.size()) - first));
  for (const Component* component : components_) audit_unit(*component);
  ensure(under_way == spent_at_links(), [&] {
    return fmt::format("physics audit: Little's law: packets were under way for {}, nodes and links took {}",
                       to_string(under_way), to_string(spent_at_links()));
  });
}

void Fabric::audit_links(std::uint32_t first, std::uint32_t count) const {
  std::vector<Bytes> delivered(count);
  for (const Fabric* fabric : places_->fabrics) {
    for (const Path& path : fabric->paths_->all()) {
      for (const LinkId id : path.route) {
        const std::uint32_t place = id.value() - first;  // wraps around for ids below `first`
        if (place < count) delivered[place] += path.delivered;
      }
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) audit_link(LinkId{first + i}, delivered[i]);
}

void Fabric::audit_link(LinkId id, Bytes delivered) const {
  const LiveLink& link = links_[id.value()];
  const auto holds = [&](bool law, std::string_view what) {
    if (!law) throw InternalError{fmt::format("physics audit: {} on link {}", what, graph_.link_name(id))};
  };
  holds(link.lane.bytes() == delivered, "bytes in and out differ");
  holds(link.lane.busy() <= sim_.now() && link.lane.free() <= sim_.now(), "utilisation over 1");
  holds(!link.credits() || link.credits()->whole(), "credits were lost");
}

void Fabric::audit_unit(const Component& component) const {
  for (const UnitUse& use : component.use()) {
    if (use.busy > sim_.now())
      throw InternalError{
          fmt::format("physics audit: utilisation over 1 of {} {}", component.name(), use.port.text())};
  }
}

Time Fabric::spent_at_links() const {
  Time spent{};
  for (const LiveLink& link : links_)
    spent += link.lane.waited() + link.lane.packets() * (component(link.from).overhead() + link.wire);
  return spent;
}

}  // namespace kbsim::hw
