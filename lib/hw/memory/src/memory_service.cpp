// Requests that a memory has accepted are served: at once in order of arrival, or when its scheduler picks
// them.
#include <algorithm>
#include <concepts>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/memory/memory_atomic.hpp"
#include "kbsim/hw/memory/memory_causes.hpp"

#include "controlled_requests.hpp"
#include "request_queue.hpp"

namespace kbsim::hw {

namespace {

// A request's parts for the controller: packets, or the elements of an atomic twice.
std::vector<MemoryRequest> parts_of(ReadService read, Time now) {
  std::vector<MemoryRequest> parts;
  for (; !read.done(); read.advance(parts.back().bytes)) parts.push_back(read.next(now));
  return parts;
}
std::vector<MemoryRequest> parts_of(const WriteService& write, Time now) { return {write.next(now)}; }
std::vector<MemoryRequest> parts_of(const AtomicService& atomic, Time now) {
  MemoryRequest back = atomic.next(now);
  back.op = MemoryOp::write_back;
  return {atomic.next(now), back};
}

// All whole packets of a read that a Lane serves leave back to back.
void serve_run(Fabric& fabric, ReadService& read, Lane& lane, Time latency) {
  const MemoryRequest first = read.next(fabric.sim().now());
  const Time ready = first.head + latency;
  const Time service = lane.rate().serialization(first.bytes);
  const std::int64_t count = read.rest.bytes / first.bytes;
  const Time start = std::max(ready, lane.free());
  (void)lane.reserve_run(ready, ready, Time{0}, count, first.bytes, service);
  read.advance(count * first.bytes);
  read.last = {.start = start + (count - 1) * service, .end = start + count * service};
  fabric.inject(
      *read.data,
      {.size = first.bytes, .head = start, .tail = start + service, .gap = service, .count = count});
}

}  // namespace

// A port is busy for the time of the bytes at its rate, as in use().
void Memory::note(const MemoryRequest& request, Time start) const {
  const bool write = request.op != MemoryOp::read;
  const MemoryPort port = timing_->port(write);
  const Time latency = request.op == MemoryOp::write_back ? Time{0} : port.latency;
  const bool apart = use().size() > 1;
  fabric().spans()->add({.kind = SpanKind::port,
                         .unit = id(),
                         .part = !apart  ? ""
                                 : write ? "write"
                                         : "read",
                         .what = write ? "write" : "read",
                         .ready = std::min(start, request.head + latency),
                         .start = start,
                         .end = start + port.rate.serialization(request.bytes),
                         .bytes = request.bytes,
                         .count = 1});
}

// Values stay bound: only the service by the ports is later, in the same order.
template <class Service>
bool Memory::put_off(Service& service) {
  if (put_off_.empty() && (std::same_as<Service, WriteService> || !puts_off())) return false;
  Causes* const causes = sim().causes();
  put_off_.emplace_back([this, causes, why = causes != nullptr ? causes->current() : Cause{}, service] {
    if (causes != nullptr) causes->set_current(why);
    submit(service);
  });
  return true;
}

void Memory::serve_put_off() {
  std::vector<std::function<void()>> all;
  all.swap(put_off_);
  for (const auto& serve_one : all) serve_one();
}

template <class Service>
void Memory::submit(Service service) {
  if (shares_ports_ && put_off(service)) [[unlikely]]
    return;
  if (queue_ != nullptr) [[unlikely]]
    return queue_->push(std::move(service), causes_ ? causes_->came(service.rest) : ServerCauses{});
  if (controlled_ != nullptr) [[unlikely]] {
    std::vector<MemoryRequest> parts = parts_of(service, sim().now());
    const Cause tail = causes_ ? causes_->came(service.rest).end : Cause{};
    return controlled_->push(std::move(service), std::move(parts), tail);
  }
  if constexpr (std::same_as<Service, ReadService>) {
    Lane* const lane = timing_->lane(false);
    if (lane != nullptr && fabric().shortcut() != nullptr)
      serve_run(fabric(), service, *lane, latency(false));
  }
  while (!service.done()) (void)serve(service);
}
template void Memory::submit(ReadService);
template void Memory::submit(WriteService);
template void Memory::submit(AtomicService);

// Serves the port only; the caller notes the request.
Lane::Slot Memory::serve_port(const MemoryRequest& request) {
  if (!causes_) [[likely]]
    return timing_->serve(request);
  MemoryCauses::Served served = causes_->serve(request, causes_->came(request));
  fabric().causes()->slot(std::move(served.because));
  return served.slot;
}

Lane::Slot Memory::serve(const MemoryRequest& request) {
  const Lane::Slot slot = serve_port(request);
  if (fabric().spans() != nullptr) note(request, slot.start);
  book(request, slot);
  return slot;
}

Time Memory::serve(ReadService& read) {
  const MemoryRequest packet = read.next(sim().now());
  const Lane::Slot slot = causes_ ? explained(read, packet) : timing_->serve(packet);
  deliver(read, packet, slot);
  return slot.end;
}

// The packet leaves when its turn comes.
Lane::Slot Memory::explained(const ReadService& read, const MemoryRequest& packet) {
  const MemoryCauses::Served served = causes_->serve(packet, causes_->came(packet));
  fabric().causes()->slot(causes_->in_turn(*read.data, served.because, packet.bytes == read.rest.bytes));
  return served.slot;
}

// The data leaves in order of address, whatever the order in which its packets are served.
void Memory::deliver(ReadService& read, const MemoryRequest& packet, Lane::Slot slot) {
  read.last = {.start = std::max(read.last.start, slot.start), .end = std::max(read.last.end, slot.end)};
  if (fabric().spans() != nullptr) note(packet, slot.start);
  book(packet, slot);
  read.advance(packet.bytes);
  fabric().inject(*read.data, packet.bytes, read.last.start, read.last.end);
}

Time Memory::serve(WriteService& write) {
  const MemoryRequest packet = write.next(sim().now());
  const Lane::Slot slot = causes_ ? explained(write, packet) : timing_->serve(packet);
  deliver(write, packet, slot, queue_ == nullptr || queue_->waiting(*write.message) == 1);
  return slot.end;
}

Lane::Slot Memory::explained(const WriteService& write, const MemoryRequest& packet) {
  const MemoryCauses::Served served = causes_->serve(packet, causes_->came(packet));
  causes_->wrote(*write.message, served.because.end);
  return served.slot;
}

// `last`: no other packet of the write waits here.
void Memory::deliver(WriteService& write, const MemoryRequest& packet, Lane::Slot slot, bool last) {
  Message& message = *write.message;
  if (fabric().spans() != nullptr) note(packet, slot.start);
  book(packet, slot);
  write.advance(packet.bytes);
  message.served = std::max(message.served, slot.end);
  if (!last || message.packets_left > 0) return;
  if (fabric().shortcut() != nullptr)
    return finished(MessagePtr{&message, Recycle{&fabric()}}, message.served);
  if (causes_) [[unlikely]]
    sim().causes()->because(causes_->written(message));
  served_.post(message.served, &message);
}

// Same result as one delivery per packet.
void Memory::accept_unobserved(const UnobservedPackets& packets) {
  Message& message = *packets.message;
  MemoryRequest packet{
      .op = MemoryOp::write, .bytes = packets.size, .head = packets.head, .tail = packets.tail};
  if (Lane* const lane = timing_->lane(true)) {
    const Time access = latency(true);
    const Lane::Slot slots =
        lane->reserve_run(packet.head + access, packet.tail + access, packets.gap, packets.count,
                          packet.bytes, lane->rate().serialization(packet.bytes));
    message.served = std::max(message.served, slots.end);
    return;
  }
  packet.address = address_of(message) + packets.ordinal * fabric().packet_size(message.size).count();
  for (std::uint32_t i = 0; i < packets.count; ++i) {
    const Lane::Slot slot = timing_->serve(packet);
    book(packet, slot);
    message.served = std::max(message.served, slot.end);
    packet.address += packet.bytes.count();
    packet.head += packets.gap;
    packet.tail += packets.gap;
  }
}

Time Memory::serve(AtomicService& atomic) {
  MemoryRequest elements = atomic.next(sim().now());
  if (causes_) [[unlikely]]
    return explained(atomic, elements);
  const Lane::Slot read = timing_->serve(elements);
  elements.op = MemoryOp::write_back;
  elements.head = elements.tail = read.end;
  const Lane::Slot write = timing_->serve(elements);
  deliver(atomic, elements, read, write);
  return write.end;
}

// The answer has the causes of the read.
Time Memory::explained(AtomicService& atomic, MemoryRequest elements) {
  const MemoryCauses::Served read = causes_->serve(elements, causes_->came(elements));
  elements.op = MemoryOp::write_back;
  elements.head = elements.tail = read.slot.end;
  const ServerCauses& held = read.because;
  const MemoryCauses::Served write = causes_->serve(elements, {.start = held.end, .end = held.end});
  fabric().causes()->slot(held);
  deliver(atomic, elements, read.slot, write.slot);
  return write.slot.end;
}

// The old contents leave while they are read.
void Memory::deliver(AtomicService& atomic, const MemoryRequest& elements, Lane::Slot read,
                     Lane::Slot write) {
  if (fabric().spans() != nullptr) {
    note(elements, read.start);
    note({.op = MemoryOp::write_back, .bytes = elements.bytes, .head = write.start}, write.start);
  }
  book({.op = MemoryOp::read, .bytes = elements.bytes}, read);
  book({.op = MemoryOp::write_back, .bytes = elements.bytes}, write);
  atomic.advance(elements.bytes);
  const AtomicRequest& request = atomic.request;
  for (oplog::Op& op : operations(*request.atomic, request.atomic->parts[request.part], atomic.held)) {
    op.unit = id();
    op.start = read.start;
    op.end = write.end;
    log_->record(std::move(op));
  }
  const Time start = std::max(read.start, sim().now());
  fabric().send(fabric().make(id(), request.reply_to, elements.bytes, TrafficClass::response,
                              ReadData{.contents = atomic.held, .token = request.token}),
                start, std::max(start, read.end));
}

// The result can be read before the atomic is served.
void Memory::announce(const AtomicService& atomic) {
  const AtomicRequest& request = atomic.request;
  for (oplog::Op& op : operations(*request.atomic, request.atomic->parts[request.part], atomic.held))
    log_->announce(std::move(op));
}

// As Component::take_packets(); also woken at the end of a request.
Task<> Memory::take_and_pick() {
  std::vector<Packet*> packets;
  for (;;) {
    packets.clear();
    co_await inbox().collect(packets);
    take(packets);
    allocate();
    if (controlled_ != nullptr) {
      control();
    } else {
      pick();
    }
  }
}

// Parts that the controller has served by now leave, no sooner than now; next() is when to ask again.
void Memory::control() {
  const Time now = sim().now();
  for (ControlledRequest* request : controlled_->advance(now)) {
    std::visit([&](auto& service) { deliver(service, *request); }, request->service);
    if (request->whole()) controlled_->erase(*request);
  }
  const Time next = controlled_->controller().next();
  if (next == kForever || (wake_ > now && wake_ <= next)) return;
  wake_ = std::max(next, now);
  if (causes_) [[unlikely]]
    sim().causes()->because(controlled_->controller().why_next());
  wake_at(wake_);
}

// The same causes, with no time sooner than now.
ServerCauses Memory::from_now_on(const ServerCauses& because) const {
  Causes& causes = *sim().causes();
  const auto no_sooner = [&](const Cause& cause) {
    if (cause.at() >= sim().now()) return cause;
    return causes.make(sim().now(), causes.current(), why(Reason::port_free, id()), cause);
  };
  return {.start = no_sooner(because.start), .end = no_sooner(because.end)};
}

void Memory::deliver(ReadService& read, ControlledRequest& request) {
  for (; request.deliverable(); ++request.delivered) {
    Lane::Slot slot = *request.slots[request.delivered];
    slot.start = std::max(slot.start, sim().now());
    const MemoryRequest& part = request.parts[request.delivered];
    if (causes_) [[unlikely]]
      fabric().causes()->slot(causes_->in_turn(*read.data, from_now_on(request.because[request.delivered]),
                                               request.delivered + 1 == request.parts.size()));
    deliver(read, part, {.start = slot.start, .end = std::max(slot.start, slot.end)});
  }
}

void Memory::deliver(WriteService& write, ControlledRequest& request) {
  if (causes_) [[unlikely]]
    causes_->wrote(*write.message, request.because.front().end);
  deliver(write, request.parts.front(), *request.slots.front(), controlled_->waiting(*write.message) == 1);
  ++request.delivered;
}

void Memory::deliver(AtomicService& atomic, ControlledRequest& request) {
  if (!request.slots[0] || !request.slots[1]) return;
  if (causes_) [[unlikely]]
    fabric().causes()->slot(from_now_on(request.because.front()));
  deliver(atomic, request.parts.front(), *request.slots[0], *request.slots[1]);
  request.delivered = 2;
}

// A request that is picked later than it arrived waited for requests in service or picked before it.
void Memory::explain_pick(const MemoryRequest& request, const ServerCauses& came) {
  Causes& causes = *sim().causes();
  if (came.start.at() == request.head) return causes_->comes(came.start, came.end);
  const Cause picked = causes.make(sim().now(), causes.current(), why(Reason::port_free, id()));
  causes_->comes(picked, causes.latest(picked, came.end));
}

// Late, when all that arrives at this time is in the queue.
void Memory::pick() {
  while (!queue_->empty() && queue_->in_service(sim().now()) < scheduler_->window()) {
    const std::span<const MemoryRequest> ready = queue_->ready(sim().now());
    const std::size_t index = scheduler_->pick(ready, *timing_);
    ensure(index < ready.size(),
           [&] { return name() + ": its scheduler picked a request that isn't there"; });
    if (causes_) [[unlikely]]
      explain_pick(ready[index], queue_->came(index));
    const Time end = std::visit([this](auto& service) { return serve(service); }, queue_->service(index));
    queue_->serving(index, end);
    if (causes_) [[unlikely]]
      sim().causes()->because(causes_->last_end());
    wake_at(end);
  }
}

}  // namespace kbsim::hw
