// Requests that a memory has accepted are served: at once in order of arrival, or when its scheduler picks
// them.
#include <algorithm>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/memory/atomic.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/memory/memory_causes.hpp"

#include "controlled_requests.hpp"
#include "request_queue.hpp"

namespace kbsim::hw {

namespace {

// What a controller is told of it: packets, or the elements of an atomic twice.
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

}  // namespace

// A port is busy as long as its bytes take at its rate, as its account says.
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

template <class Service>
void Memory::submit(Service service) {
  if (queue_ != nullptr) [[unlikely]]
    return queue_->push(std::move(service));
  if (controlled_ != nullptr) [[unlikely]] {
    std::vector<MemoryRequest> parts = parts_of(service, sim().now());
    return controlled_->push(std::move(service), std::move(parts));
  }
  while (!service.done()) (void)serve(service);
}
template void Memory::submit(ReadService);
template void Memory::submit(WriteService);
template void Memory::submit(AtomicService);

// As its port is served; who delivers it notes it.
Lane::Slot Memory::serve_port(const MemoryRequest& request) {
  const Lane::Slot slot = timing_->serve(request);
  if (causes_) [[unlikely]]
    fabric().causes()->slot(causes_->serve(request, slot));
  return slot;
}

Lane::Slot Memory::serve(const MemoryRequest& request) {
  const Lane::Slot slot = serve_port(request);
  if (fabric().spans() != nullptr) note(request, slot.start);
  return slot;
}

Time Memory::serve(ReadService& read) {
  const MemoryRequest packet = read.next(sim().now());
  const Lane::Slot slot = serve_port(packet);
  deliver(read, packet, slot);
  return slot.end;
}

// The data leaves in order of address, whatever the order in which its packets are served.
void Memory::deliver(ReadService& read, const MemoryRequest& packet, Lane::Slot slot) {
  read.last = {.start = std::max(read.last.start, slot.start), .end = std::max(read.last.end, slot.end)};
  if (fabric().spans() != nullptr) note(packet, slot.start);
  read.advance(packet.bytes);
  fabric().inject(*read.data, packet.bytes, read.last.start, read.last.end);
}

Time Memory::serve(WriteService& write) {
  const MemoryRequest packet = write.next(sim().now());
  const Lane::Slot slot = timing_->serve(packet);
  if (causes_) [[unlikely]]
    causes_->wrote(*write.message, causes_->serve(packet, slot).end);
  deliver(write, packet, slot, queue_ == nullptr || queue_->waiting(*write.message) == 1);
  return slot.end;
}

// `last` of those that are here.
void Memory::deliver(WriteService& write, const MemoryRequest& packet, Lane::Slot slot, bool last) {
  Message& message = *write.message;
  if (fabric().spans() != nullptr) note(packet, slot.start);
  write.advance(packet.bytes);
  message.served = std::max(message.served, slot.end);
  if (!last || message.packets_left > 0) return;
  if (fabric().books_ahead()) return finished(MessagePtr{&message, Recycle{&fabric()}}, message.served);
  if (causes_) [[unlikely]]
    sim().causes()->because(causes_->written(message));
  served_.post(message.served, &message);
}

Time Memory::serve(AtomicService& atomic) {
  MemoryRequest elements = atomic.next(sim().now());
  const Lane::Slot read = timing_->serve(elements);
  elements.op = MemoryOp::write_back;
  elements.head = elements.tail = read.end;
  const Lane::Slot write = timing_->serve(elements);
  if (causes_) [[unlikely]]
    explain(atomic, elements, read, write);
  deliver(atomic, elements, read, write);
  return write.end;
}

// The answer is the read's.
void Memory::explain(const AtomicService& atomic, const MemoryRequest& back, Lane::Slot read,
                     Lane::Slot write) {
  const ServerCauses first = causes_->serve(atomic.next(sim().now()), read);
  (void)causes_->serve(back, write, first.end, first.end);
  fabric().causes()->slot(first);
}

// What was there leaves while it is read.
void Memory::deliver(AtomicService& atomic, const MemoryRequest& elements, Lane::Slot read,
                     Lane::Slot write) {
  if (fabric().spans() != nullptr) {
    note(elements, read.start);
    note({.op = MemoryOp::write_back, .bytes = elements.bytes, .head = write.start}, write.start);
  }
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

// Its result can be looked at before it is served.
void Memory::announce(const AtomicService& atomic) {
  const AtomicRequest& request = atomic.request;
  for (oplog::Op& op : operations(*request.atomic, request.atomic->parts[request.part], atomic.held))
    log_->announce(std::move(op));
}

// As Component::take_packets(); it is woken at the end of a request.
Task<> Memory::take_and_pick() {
  std::vector<Packet*> packets;
  for (;;) {
    packets.clear();
    co_await inbox().collect(packets);
    take(packets);
    if (controlled_ != nullptr) {
      control();
    } else {
      pick();
    }
  }
}

// What the controller has served by now leaves, from now on; it says when to ask again.
void Memory::control() {
  const Time now = sim().now();
  for (ControlledRequest* request : controlled_->advance(now)) {
    std::visit([&](auto& service) { deliver(service, *request); }, request->service);
    if (request->whole()) controlled_->erase(*request);
  }
  const Time next = controlled_->controller().next();
  if (next == kForever || (wake_ > now && wake_ <= next)) return;
  wake_ = std::max(next, now);
  wake_at(wake_);
}

void Memory::deliver(ReadService& read, ControlledRequest& request) {
  for (; request.deliverable(); ++request.delivered) {
    Lane::Slot slot = *request.slots[request.delivered];
    slot.start = std::max(slot.start, sim().now());
    deliver(read, request.parts[request.delivered],
            {.start = slot.start, .end = std::max(slot.start, slot.end)});
  }
}

void Memory::deliver(WriteService& write, ControlledRequest& request) {
  deliver(write, request.parts.front(), *request.slots.front(), controlled_->waiting(*write.message) == 1);
  ++request.delivered;
}

void Memory::deliver(AtomicService& atomic, ControlledRequest& request) {
  if (!request.slots[0] || !request.slots[1]) return;
  deliver(atomic, request.parts.front(), *request.slots[0], *request.slots[1]);
  request.delivered = 2;
}

// Late, when all that arrives at this time is in the queue.
void Memory::pick() {
  while (!queue_->empty() && queue_->in_service(sim().now()) < scheduler_->window()) {
    const std::span<const MemoryRequest> ready = queue_->ready(sim().now());
    const std::size_t index = scheduler_->pick(ready, *timing_);
    ensure(index < ready.size(),
           [&] { return name() + ": its scheduler picked a request that isn't there"; });
    const Time end = std::visit([this](auto& service) { return serve(service); }, queue_->service(index));
    queue_->serving(index, end);
    wake_at(end);
  }
}

}  // namespace kbsim::hw
