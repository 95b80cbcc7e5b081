#include "kbsim/hw/memory/memory_causes.hpp"

#include <utility>

#include "kbsim/sim/server_orders.hpp"

namespace kbsim::hw {

ServerCauses MemoryCauses::came(const MemoryRequest& request) {
  const Cause head = head_ ? std::exchange(head_, {}) : causes_->of(request.head);
  return {.start = head, .end = tail_ ? std::exchange(tail_, {}) : head};
}

MemoryCauses::Served MemoryCauses::serve(const MemoryRequest& request, const ServerCauses& came) {
  Served served;
  if (lanes_ > 0) {
    served.slot = timing_->serve(request);
    served.because = explain(request, served.slot, came.start, came.end);
  } else {
    causes_->orders().comes_next(server(Reason::port, memory_.value()), came.end);
    served.because = timing_->serve_because(request, came.start, came.end);
    served.slot = {.start = served.because.start.at(), .end = served.because.end.at()};
  }
  last_end_ = served.because.end;
  return served;
}

ServerCauses MemoryCauses::in_turn(const Message& read, const ServerCauses& served, bool last) {
  if (in_order_) return served;
  ServerCauses& before = reads_[&read];
  before = {.start = causes_->latest(before.start, served.start),
            .end = causes_->latest(before.end, served.end)};
  ServerCauses now = before;
  if (last) reads_.erase(&read);
  return now;
}

// As Lane::reserve(), after the access latency.
ServerCauses MemoryCauses::explain(const MemoryRequest& request, Lane::Slot slot, const Cause& head,
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
    causes_->orders().comes_next(server(lanes_ == 2 ? reason : Reason::port, memory_.value()), own);
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
