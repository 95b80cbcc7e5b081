// Requests that a memory has accepted are served: at once in order of arrival, or when its scheduler picks
// them.
#include <algorithm>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/memory/atomic.hpp"
#include "kbsim/hw/memory/memory.hpp"

#include "request_queue.hpp"

namespace kbsim::hw {

template <class Service>
void Memory::submit(Service service) {
  if (queue_ != nullptr) [[unlikely]]
    return queue_->push(std::move(service));
  while (!service.done()) (void)serve(service);
}
template void Memory::submit(ReadService);
template void Memory::submit(WriteService);
template void Memory::submit(AtomicService);

// The data leaves in order of address, whatever the order in which its packets are served.
Time Memory::serve(ReadService& read) {
  const MemoryRequest packet = read.next(sim().now());
  const Lane::Slot slot = timing_->serve(packet);
  read.last = {.start = std::max(read.last.start, slot.start), .end = std::max(read.last.end, slot.end)};
  read.advance(packet.bytes);
  fabric().inject(*read.data, packet.bytes, read.last.start, read.last.end);
  return slot.end;
}

Time Memory::serve(WriteService& write) {
  Message& message = *write.message;
  const MemoryRequest packet = write.next(sim().now());
  const Time end = timing_->serve(packet).end;
  write.advance(packet.bytes);
  message.served = std::max(message.served, end);
  const bool last = message.packets_left == 0 && (queue_ == nullptr || queue_->waiting(message) == 1);
  if (last) served_.post(message.served, &message);
  return end;
}

// What was there leaves while it is read.
Time Memory::serve(AtomicService& atomic) {
  MemoryRequest elements = atomic.next(sim().now());
  const Lane::Slot read = timing_->serve(elements);
  elements.op = MemoryOp::write_back;
  elements.head = elements.tail = read.end;
  const Lane::Slot write = timing_->serve(elements);
  atomic.advance(elements.bytes);
  const AtomicRequest& request = atomic.request;
  for (oplog::Op& op : operations(*request.atomic, request.atomic->parts[request.part], atomic.held)) {
    op.unit = id();
    op.start = read.start;
    op.end = write.end;
    log_->record(std::move(op));
  }
  fabric().send(fabric().make(id(), request.reply_to, elements.bytes, TrafficClass::response,
                              ReadData{.contents = atomic.held, .token = request.token}),
                read.start, read.end);
  return write.end;
}

// Its result can be looked at before it is served.
void Memory::announce(const AtomicService& atomic) {
  const AtomicRequest& request = atomic.request;
  for (oplog::Op& op : operations(*request.atomic, request.atomic->parts[request.part], atomic.held))
    log_->announce(std::move(op));
}

// As Component::take_packets(); a nullptr is the end of a request.
Task<> Memory::take_and_pick() {
  std::vector<Packet*> packets;
  for (;;) {
    packets.clear();
    co_await inbox().collect(packets);
    std::erase(packets, nullptr);
    take(packets);
    pick();
  }
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
    inbox().post(end, nullptr);
  }
}

}  // namespace kbsim::hw
