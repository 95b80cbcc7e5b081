#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/message_body.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::hw {

/// A slot of the ring at `ring_base` is free again.
struct SlotCredit {
  static constexpr BodyTraits kTraits{.name = "slot credit", .order = 9};
  [[nodiscard]] std::uint64_t subject() const { return ring_base.bits(); }

  topology::PhysAddr ring_base;
};

}  // namespace kbsim::hw
