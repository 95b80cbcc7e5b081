#include "kbsim/hw/memory/memory_causes.hpp"

#include <utility>

namespace kbsim::hw {

ServerCauses MemoryCauses::serve(const MemoryRequest& request, Lane::Slot slot) {
  const Cause head = head_ ? std::exchange(head_, {}) : causes_->of(request.head);
  const Cause tail = tail_ ? std::exchange(tail_, {}) : head;
  return serve(request, slot, head, tail);
}

// As Lane::reserve(), behind the access.
ServerCauses MemoryCauses::serve(const MemoryRequest& request, Lane::Slot slot, const Cause& head,
                                 const Cause& tail) {
  const bool writes = request.op != MemoryOp::read;
  const MemoryPort port = timing_->port(writes);
  const Time access = request.op == MemoryOp::write_back ? Time{0} : port.latency;
  const auto accessed = [&](const Cause& from, Time at) {
    return access == Time{0} ? from : causes_->make(at, from, why(Reason::access, memory_));
  };
  Cause& holder = holders_[lanes_ == 2 && writes ? 1 : 0];
  const Reason reason = writes ? Reason::write_port : Reason::port;
  const Time ended = slot.start + port.rate.serialization(request.bytes);
  const Cause own = accessed(head, request.head + access);
  if (request.op != MemoryOp::write_back)
    causes_->comes_next(server(lanes_ == 2 ? reason : Reason::port, memory_.value()), own);
  ServerCauses served = hw::serve(*causes_, own, slot.start, ended, holder, why(Reason::port_free, memory_),
                                  why(reason, memory_, request.bytes));
  if (slot.end > ended || causes_->keeps_all())
    served.end = holder = causes_->latest(served.end, accessed(tail, request.tail + access));
  return served;
}

void MemoryCauses::wrote(const Message& message, const Cause& end) {
  Cause& last = writes_[&message];
  last = causes_->latest(last, end);
}

Cause MemoryCauses::written(const Message& message) {
  const auto found = writes_.find(&message);
  Cause last = std::move(found->second);
  writes_.erase(found);
  return last;
}

}  // namespace kbsim::hw
