#pragma once

#include <cstdint>
#include <source_location>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/hw/fabric/message_body.hpp"
#include "kbsim/hw/launch_id.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::hw {

/// A sender's description of a slot that it fills.
struct SlotHeader {
  std::uint64_t sequence = 0;
  int tag = 0;
  Shape shape;
  DType dtype = DType::f16;
  LaunchId launch;
  std::source_location at;  // of the send
};

/// A payload between PEs, to a slot of a ring.
struct SlotWrite {
  static constexpr BodyTraits kTraits{.name = "slot write", .order = 7};
  [[nodiscard]] std::uint64_t subject() const { return slot.bits(); }

  topology::PhysAddr slot;
  oplog::Slice contents;
  SlotHeader header;
  NodeId receiver;  // the pe_ipcq that waits for it
};

/// A slot outside its receiver's TCM is filled.
struct SlotFilled {
  static constexpr BodyTraits kTraits{.name = "slot filled", .order = 8};
  [[nodiscard]] std::uint64_t subject() const { return slot.bits(); }

  topology::PhysAddr slot;
  SlotHeader header;
};

}  // namespace kbsim::hw
