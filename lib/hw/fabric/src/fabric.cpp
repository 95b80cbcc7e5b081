#include "kbsim/hw/fabric/fabric.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric_border.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/i_shortcut.hpp"
#include "kbsim/hw/fabric/i_switch.hpp"
#include "kbsim/sim/windows.hpp"

#include "shared_places.hpp"

namespace kbsim::hw {
namespace {

Split split(const Message& message, Bytes packet, Time arrival) {
  const Path& path = *message.path;
  Split split{.overhead = path.overhead, .wire = path.wire, .drain = message.source_tail - message.sent};
  if (!path.route.empty()) split.drain = std::max(split.drain, path.drain(message.size, packet));
  split.queueing = arrival - message.sent - split.total();
  return split;
}

// The node at the end of the link takes the packet whole.
void store(Packet& packet, RareLink& link, FabricCauses* causes) {
  link.stored += packet.tail - packet.head;
  packet.head = packet.tail;
  if (causes != nullptr) [[unlikely]]
    causes->store(packet);
}

}  // namespace

Fabric::Fabric(Simulation& sim, const topology::Graph& graph)
    : Network{sim, graph}, MessagePool{places_}, switches_{*this, *places_} {
  places_->fabrics = {this};
  if (sim.causes() == nullptr) return;
  causes_ = std::make_unique<FabricCauses>(*sim.causes(), links_.size());
  exact_packets();
}

Fabric::~Fabric() { std::erase(places_->fabrics, this); }

void Fabric::connect() {
  switches_.connect(flit_, worm_flits_);
  add_arrivals();
  for (Fabric* const fabric : places_->fabrics) {
    fabric->switches_.share(switches_);
    fabric->flit_ = flit_;
    fabric->worm_flits_ = worm_flits_;
    fabric->plug_shortcut(*fabric);
  }
  if (causes_)
    std::ranges::for_each(links_, [this](const LiveLink& link) { switches_.require_causes(link); });
}

const std::vector<LiveLink>& Fabric::links() const {
  if (places_->fabrics.size() > 1 && Windows::running())
    throw Unsupported{"all links are asked for while packages run side by side: --num-threads 1"};
  for (Fabric* const fabric : places_->fabrics) {
    if (fabric->reserved() != nullptr) fabric->reserved()->flush();
  }
  return places_->links;
}

MessagePtr Fabric::make(NodeId from, NodeId to, Bytes size, TrafficClass traffic_class, MessageBody body) {
  ensure(size > 0_B, "a message without bytes");
  Message* const message = &take_message();
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

Message& Fabric::open(MessagePtr owned) {
  ensure(arrivals_[owned->from.value()] == nullptr,
         [&] { return component(owned->from).name() + " only passes packets on, and sends one"; });
  Message& message = *owned.release();
  MessageSource& source = sources_[message.from.value()];
  message.path = &path(source, message);
  message.route = message.path->route;
  take(*message.path);
  message.sequence = ++source.sequence;
  ++counts_.opened;
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
  counts_.under_way -= head;
  return packet;
}

void Fabric::inject(Message& message, Bytes size, Time head, Time tail, bool leads) {
  Packet& packet = next_packet(message, size, head, tail);
  packet.leads = leads;
  packet.noted = notes_of(message.injected == message.packets_left);
  if (shortcut() != nullptr && !leads && !at_end(packet) && shortcut()->leave(packet)) return;
  const bool at_head = !at_end(packet) || message.cut_through;
  if (causes_) [[unlikely]] {
    causes_->inject(packet);
    causes_->post(packet, at_head);
  }
  components_[message.from.value()]->inbox().post(at_head ? head : tail, packet);
}

// A packet that can't join those before it is injected by itself.
void Fabric::inject(Message& message, PacketRun run) {
  while (run.count > 0) {
    inject(message, run.size, run.head, run.tail);
    run.drop(1);
    if (run.count == 0 || shortcut() == nullptr || message.route.empty()) continue;
    const std::int64_t more = shortcut()->follow(message, nullptr, run);
    message.injected += static_cast<std::uint32_t>(more);
    counts_.under_way -= more * run.head + more * (more - 1) / 2 * run.gap;
    run.drop(more);
    if (more > 0) message.source_tail = run.tail - run.gap;
  }
}

void Fabric::send(MessagePtr owned, Time head, Time tail) { send(open(std::move(owned)), head, tail); }

// The packets of a train have a FIFO link to themselves as soon as its turn comes; their hops aren't
// recorded.
void Fabric::send(Message& message, Time head, Time tail) {
  constexpr std::int64_t kTrain = 1024;  // packets of the smallest train
  const Bytes largest = packet_size(message.size);
  if (message.packets_left >= kTrain && head == tail && !traces_messages() && causes_ == nullptr &&
      !message.route.empty()) [[unlikely]] {
    const LiveLink& first = live(message.route.front());
    if (first.from_switch() == nullptr && first.credits() == nullptr)
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
  if (link.rare != nullptr) [[unlikely]] {
    if (link.rare->after_port) switches_.receive(packet);
    if (link.rare->from_switch != nullptr) return switches_.queue(packet, packet.head + overhead, link);
  }
  IShortcut::Meeting meeting;
  if (link.is_reserved()) meeting = reserved()->before(link, packet, overhead);
  const Lane::Slot slot =
      meeting.slot ? *meeting.slot
                   : link.lane.reserve(packet.head + overhead, packet.tail + overhead, packet.size);
  if (causes_) [[unlikely]]
    causes_->serve(packet, packet.message->route[packet.hop], link.from, overhead, slot,
                   link.lane.service(packet.size));
  if (packet.leads) [[unlikely]]
    lead(packet, overhead, slot.end);
  cross(packet, link, slot);
  if (meeting.reserves_again) [[unlikely]]
    reserved()->reserve_again();
}

// No earlier packet waits at the source to be sent, and this one arrives at its next node later than now. So
// no component observes in which phase it has left.
void Fabric::depart(MessagePtr owned) {
  const Time now = sim_.now();
  Message& message = open(std::move(owned));
  Component& source = component(message.from);
  const bool whole = shortcut() != nullptr && message.packets_left == 1 && !message.route.empty();
  if (!whole || !source.inbox().awaited() || !goes_at_once(live(message.route.front())))
    return send(message, now, now);
  forward(next_packet(message, message.size, now, now), source.steady_overhead());
}

// At finite queues a packet shows up when its head has passed the pipeline: until then it can't do anything.
[[gnu::always_inline]] void Fabric::cross(Packet& packet, LiveLink& link, const Lane::Slot& slot) {
  if (packet.noted != 0) [[unlikely]]
    note_hop(packet, packet.message->route[packet.hop], link, component(link.from).steady_overhead(), slot);
  packet.head = slot.start + link.wire;
  packet.tail = slot.end + link.wire;
  packet.port = link.port;
  ++packet.hop;
  if (link.rare != nullptr) [[unlikely]] {
    if (link.rare->stores) store(packet, *link.rare, causes_.get());
    if (link.rare->border != nullptr) {
      link.rare->border->post(packet.head, {packet, &link});
      return free(packet);
    }
  }
  if (link.arrivals != nullptr) packet.late = packet.head == sim_.now() ? late_now() : 0;
  if (shortcut() != nullptr && (link.arrivals == nullptr || packet.late == 0))
    return shortcut()->arrive(packet, link);
  arrive_by_event(packet, link);
}

void Fabric::arrive_by_event(Packet& packet, LiveLink& link) {
  if (link.arrivals != nullptr) [[likely]]
    return link.arrivals->push(link.port - 1, packet);
  Component& next = component(link.to);
  if (link.credits()) [[unlikely]] {
    if (causes_) causes_->entry(packet, link, next.steady_overhead());
    return next.inbox().post(packet.head + next.steady_overhead() - link.credits()->lookahead(), packet);
  }
  const bool at_head = !at_end(packet) || packet.message->cut_through;
  if (causes_) [[unlikely]]
    causes_->post(packet, at_head);
  const Time comes = at_head ? packet.head : packet.tail;
  packet.late = comes == sim_.now() ? late_now() : 0;
  next.inbox().post(comes, packet);
}

void Fabric::record_spans(ISpans* spans) {
  ensure(spans == nullptr || is_whole(), "several processes record no spans");
  if (spans != nullptr) exact_packets();
  note_spans(spans);
}

void Fabric::trace_messages() {
  ensure(is_whole(), "messages of several processes leave no traces");
  note_messages();
  exact_packets();
}

MessagePtr Fabric::arrived(Packet& packet) {
  Message* message = packet.message;
  const Time tail = packet.tail;
  if (shortcut() != nullptr) shortcut()->accept_before(packet);
  counts_.under_way += packet.head;
  if (causes_) [[unlikely]]
    causes_->arrived(packet);
  free(packet);
  if (--message->packets_left > 0) return {nullptr, Recycle{this}};
  account(*message, tail);
  return {message, Recycle{this}};
}

void Fabric::forget(Packet& packet) {
  const MessagePtr message{packet.message, Recycle{this}};
  counts_.under_way += packet.injected;
  free(packet);
  --counts_.opened;
}

void Fabric::wake(Component& sleeper, Time at) {
  has_wakes_ = true;
  Packet& wake = allocate();
  wake.message = nullptr;
  sleeper.inbox().post(at, wake);
}

void Fabric::drop_wakes(std::vector<Packet*>& packets) {
  std::erase_if(packets, [this](Packet* packet) {
    if (packet->message == nullptr) free(*packet);
    return packet->message == nullptr;
  });
}

void Fabric::take(Path& path) {
  if (!std::exchange(path.taken, true) && shortcut() != nullptr) shortcut()->know(path.route);
}

void Fabric::account(const Message& message, Time arrival) {
  const Split parts = split(message, packet_size(message.size), arrival);
  if (parts.queueing < Time{0}) [[unlikely]]
    throw_internal("physics audit: a message from " + graph_.node(message.from).name + " beat its bound");
  ++counts_.arrived.messages;
  counts_.arrived.split += parts;
  message.path->delivered += message.size;
  note_arrival(message, parts, arrival);
}

const Lane& Fabric::served(LinkId id) {
  LiveLink& link = live(id);
  IShortcut* const its = owner(link.from).reserved();
  if (its != nullptr) its->flush(link);
  return link.lane;
}

void Fabric::passed(Path& path, const Passed& messages) {
  counts_.opened += messages.messages;
  counts_.arrived.messages += messages.messages;
  counts_.arrived.split += messages.split;
  path.delivered += messages.bytes;
  counts_.under_way += messages.under_way;
}

}  // namespace kbsim::hw
