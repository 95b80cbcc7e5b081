#include "kbsim/hw/memory/port_service.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/memory/memory_atomic.hpp"
#include "kbsim/hw/memory/memory_causes.hpp"

#include "services.hpp"

namespace kbsim::hw {

PortService::PortService(const Component& memory, IMemoryTiming& timing, IMemoryModel& model,
                         Mailbox<Message*>& served)
    : memory_{memory},
      fabric_{memory.fabric()},
      timing_{timing},
      model_{model},
      served_{served},
      use_{fabric_.sim(), timing} {}

PortService::~PortService() = default;

void PortService::keep_causes(Causes& causes, bool in_order) {
  causes_ = std::make_unique<MemoryCauses>(causes, memory_.id(), timing_, in_order);
}

// A port is busy for the time of the bytes at its rate, as in use().
void PortService::note(const MemoryRequest& request, Time start) const {
  const bool write = request.op != MemoryOp::read;
  const MemoryPort port = timing_.port(write);
  const Time latency = request.op == MemoryOp::write_back ? Time{0} : port.latency;
  const bool apart = memory_.use().size() > 1;
  fabric_.spans()->add({.kind = SpanKind::port,
                        .unit = memory_.id(),
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

Lane::Slot PortService::serve(const MemoryRequest& request) {
  const Lane::Slot slot = causes_ ? explained(request) : timing_.serve(request);
  if (fabric_.spans() != nullptr) note(request, slot.start);
  use_.book(request, slot);
  return slot;
}

Lane::Slot PortService::explained(const MemoryRequest& request) {
  MemoryCauses::Served served = causes_->serve(request, causes_->came(request));
  fabric_.causes()->slot(std::move(served.because));
  return served.slot;
}

Time PortService::serve(ReadService& read) {
  const MemoryRequest packet = read.next(fabric_.sim().now());
  const Lane::Slot slot = causes_ ? explained(read, packet) : timing_.serve(packet);
  deliver(read, packet, slot);
  return slot.end;
}

// The packet leaves when its turn comes.
Lane::Slot PortService::explained(const ReadService& read, const MemoryRequest& packet) {
  const MemoryCauses::Served served = causes_->serve(packet, causes_->came(packet));
  fabric_.causes()->slot(causes_->in_turn(*read.data, served.because, packet.bytes == read.rest.bytes));
  return served.slot;
}

// The data leaves in order of address, whatever the order in which its packets are served.
void PortService::deliver(ReadService& read, const MemoryRequest& packet, Lane::Slot slot) {
  read.last = {.start = std::max(read.last.start, slot.start), .end = std::max(read.last.end, slot.end)};
  if (fabric_.spans() != nullptr) note(packet, slot.start);
  use_.book(packet, slot);
  read.advance(packet.bytes);
  fabric_.inject(*read.data, packet.bytes, read.last.start, read.last.end);
}

void PortService::serve_run(ReadService& read, Lane& lane) {
  const MemoryRequest first = read.next(fabric_.sim().now());
  const Time ready = first.head + timing_.port(false).latency;
  const Time service = lane.rate().serialization(first.bytes);
  const std::int64_t count = read.rest.bytes / first.bytes;
  const Time start = std::max(ready, lane.free());
  (void)lane.reserve_run(ready, ready, Time{0}, count, first.bytes, service);
  read.advance(count * first.bytes);
  read.last = {.start = start + (count - 1) * service, .end = start + count * service};
  fabric_.inject(
      *read.data,
      {.size = first.bytes, .head = start, .tail = start + service, .gap = service, .count = count});
}

Time PortService::serve(WriteService& write, bool last) {
  const MemoryRequest packet = write.next(fabric_.sim().now());
  const Lane::Slot slot = causes_ ? explained(write, packet) : timing_.serve(packet);
  deliver(write, packet, slot, last);
  return slot.end;
}

Lane::Slot PortService::explained(const WriteService& write, const MemoryRequest& packet) {
  const MemoryCauses::Served served = causes_->serve(packet, causes_->came(packet));
  causes_->wrote(*write.message, served.because.end);
  return served.slot;
}

void PortService::deliver(WriteService& write, const MemoryRequest& packet, Lane::Slot slot, bool last) {
  Message& message = *write.message;
  if (fabric_.spans() != nullptr) note(packet, slot.start);
  use_.book(packet, slot);
  write.advance(packet.bytes);
  message.served = std::max(message.served, slot.end);
  if (!last || message.packets_left > 0) return;
  if (fabric_.shortcut() != nullptr)
    return model_.finished(MessagePtr{&message, Recycle{&fabric_}}, message.served);
  if (causes_) [[unlikely]]
    fabric_.sim().causes()->because(causes_->written(message));
  served_.post(message.served, &message);
}

void PortService::serve_unobserved(const UnobservedPackets& packets) {
  Message& message = *packets.message;
  MemoryRequest packet{
      .op = MemoryOp::write, .bytes = packets.size, .head = packets.head, .tail = packets.tail};
  if (Lane* const lane = timing_.lane(true)) {
    const Time access = timing_.port(true).latency;
    const Lane::Slot slots =
        lane->reserve_run(packet.head + access, packet.tail + access, packets.gap, packets.count,
                          packet.bytes, lane->rate().serialization(packet.bytes));
    message.served = std::max(message.served, slots.end);
    return;
  }
  packet.address = model_.address_of(message) + packets.ordinal * fabric_.packet_size(message.size).count();
  for (std::uint32_t i = 0; i < packets.count; ++i) {
    const Lane::Slot slot = timing_.serve(packet);
    use_.book(packet, slot);
    message.served = std::max(message.served, slot.end);
    packet.address += packet.bytes.count();
    packet.head += packets.gap;
    packet.tail += packets.gap;
  }
}

Time PortService::serve(AtomicService& atomic) {
  MemoryRequest elements = atomic.next(fabric_.sim().now());
  if (causes_) [[unlikely]]
    return explained(atomic, elements);
  const Lane::Slot read = timing_.serve(elements);
  elements.op = MemoryOp::write_back;
  elements.head = elements.tail = read.end;
  const Lane::Slot write = timing_.serve(elements);
  deliver(atomic, elements, read, write);
  return write.end;
}

// The answer has the causes of the read.
Time PortService::explained(AtomicService& atomic, MemoryRequest elements) {
  const MemoryCauses::Served read = causes_->serve(elements, causes_->came(elements));
  elements.op = MemoryOp::write_back;
  elements.head = elements.tail = read.slot.end;
  const ServerCauses& held = read.because;
  const MemoryCauses::Served write = causes_->serve(elements, {.start = held.end, .end = held.end});
  fabric_.causes()->slot(held);
  deliver(atomic, elements, read.slot, write.slot);
  return write.slot.end;
}

// The old contents leave while they are read.
void PortService::deliver(AtomicService& atomic, const MemoryRequest& elements, Lane::Slot read,
                          Lane::Slot write) {
  if (fabric_.spans() != nullptr) {
    note(elements, read.start);
    note({.op = MemoryOp::write_back, .bytes = elements.bytes, .head = write.start}, write.start);
  }
  use_.book({.op = MemoryOp::read, .bytes = elements.bytes}, read);
  use_.book({.op = MemoryOp::write_back, .bytes = elements.bytes}, write);
  atomic.advance(elements.bytes);
  const AtomicRequest& request = atomic.request;
  for (oplog::Op& op : operations(*request.atomic, request.atomic->parts[request.part], atomic.held)) {
    op.unit = memory_.id();
    op.start = read.start;
    op.end = write.end;
    log_->record(std::move(op));
  }
  const Time start = std::max(read.start, fabric_.sim().now());
  fabric_.send(fabric_.make(memory_.id(), request.reply_to, elements.bytes, TrafficClass::response,
                            ReadData{.contents = atomic.held, .token = request.token}),
               start, std::max(start, read.end));
}

}  // namespace kbsim::hw
