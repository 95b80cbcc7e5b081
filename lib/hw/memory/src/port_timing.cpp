#include "kbsim/hw/memory/port_timing.hpp"

#include <algorithm>

namespace kbsim::hw {

Lane::Slot PortTiming::serve(const MemoryRequest& request) {
  Lane& port = request.op != MemoryOp::read && write_ ? *write_ : read_;
  const Time before = access(request);
  return port.reserve(request.head + before, request.tail + before, request.bytes);
}

Time PortTiming::first_byte(const MemoryRequest& request) const {
  return std::max(request.head + access(request), port_of(request.op != MemoryOp::read).free());
}

MemoryPort PortTiming::port(bool write) const { return {.latency = access_, .rate = port_of(write).rate()}; }

std::vector<UnitUse> PortTiming::use() const {
  if (!write_) return {use_of(read_)};
  return {use_of(read_, "read"), use_of(*write_, "write")};
}

void PortTiming::visit(RepeatVisitor& visitor) {
  read_.visit(visitor);
  if (write_) write_->visit(visitor);
}

}  // namespace kbsim::hw
