#pragma once

#include <algorithm>

#include "kbsim/hw/memory/i_memory_timing.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"
#include "kbsim/oplog/op.hpp"

namespace kbsim::hw {

/// A request that is accepted and not yet served, with the values that were bound at its arrival.
struct MemoryService {
  MemoryRequest rest;  // no bytes: all is served

  [[nodiscard]] bool done() const { return rest.bytes == 0_B; }
  /// Its next `n` bytes, to be served no sooner than `now`.
  [[nodiscard]] MemoryRequest next(Bytes n, Time now) const {
    MemoryRequest request{rest};
    request.bytes = n;
    request.head = std::max(rest.head, now);
    request.tail = std::max(rest.tail, now);
    return request;
  }
  [[nodiscard]] MemoryRequest next(Time now) const { return next(rest.bytes, now); }
  void advance(Bytes n) {
    rest.address += n.count();
    rest.bytes -= n;
  }
};

/// A read: packets of a message that is open at the fabric, in order of address.
struct ReadService : MemoryService {
  Message* data = nullptr;
  Bytes packet;
  Lane::Slot last{};  // of the packets so far

  [[nodiscard]] MemoryRequest next(Time now) const {
    return MemoryService::next(std::min(rest.bytes, packet), now);
  }
};

/// A packet of a write.
struct WriteService : MemoryService {
  Message* message = nullptr;
};

/// An atomic, with what the memory held at its arrival.
struct AtomicService : MemoryService {
  AtomicRequest request;
  oplog::Slices held;
};

}  // namespace kbsim::hw
