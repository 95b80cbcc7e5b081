// Classes of a path's segments.
#include "kbsim/explain/path.hpp"

namespace kbsim::explain {

WorkClass class_of(hw::Reason reason) {
  using hw::Reason;
  switch (reason) {
    case Reason::dispatch:
    case Reason::engine:
    case Reason::fetch:
    case Reason::looks:
    case Reason::given: return WorkClass::work;
    case Reason::port:
    case Reason::write_port:
    case Reason::data_bus:
    case Reason::bank:
    case Reason::turnaround:
    case Reason::refresh:
    case Reason::refresh_wait: return WorkClass::memory;
    case Reason::serialization:
    case Reason::port_time:
    case Reason::dma_port:
    case Reason::dma_pace:
    case Reason::cycle: return WorkClass::transfer;
    default: return WorkClass::latency;
  }
}

ClassTimes during(const Path& path, hw::Reason wait) {
  ClassTimes sum;
  for (const auto& [where, times] : path.during_waits) {
    if (where.first == wait) sum += times;
  }
  return sum;
}

}  // namespace kbsim::explain
