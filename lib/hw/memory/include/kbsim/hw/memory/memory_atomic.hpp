#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kbsim/oplog/op.hpp"
#include "kbsim/tl/atomic.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim::hw {

/// Elements of an atomic that a memory serves in one go, as one packet.
struct AtomicPart {
  topology::PhysRange memory;
  std::int64_t offset = 0;  // in the tile
  oplog::ValueId equal;     // of a compare_exchange: which elements are as expected
  oplog::ValueId result;    // what the memory holds after it
};

/// An atomic as it goes to the memories that serve it.
struct Atomic {
  AtomicOp op = AtomicOp::add;
  DType dtype = DType::i32;
  oplog::Slices operand;
  oplog::Slices expected;  // of a compare_exchange
  std::vector<AtomicPart> parts;

  [[nodiscard]] bool compares() const { return op == AtomicOp::compare_exchange; }
  /// Bytes on the wire: the operand, and the expected values of a compare_exchange.
  [[nodiscard]] Bytes request_size(const AtomicPart& part) const {
    return part.memory.bytes * (compares() ? 2 : 1);
  }
};

/// Operations of a part, on what its memory held; the last one yields part.result.
[[nodiscard]] std::vector<oplog::Op> operations(const Atomic& atomic, const AtomicPart& part,
                                                const oplog::Slices& held);

}  // namespace kbsim::hw
