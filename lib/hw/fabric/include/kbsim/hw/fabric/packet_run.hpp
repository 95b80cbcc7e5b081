#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/fabric.hpp"

namespace kbsim::hw {

/// Packets of an open message that come to a place one behind the other: the first as its head and tail say,
/// the others each `gap` later.
struct PacketRun {
  Bytes size;  // of each
  Time head{};
  Time tail{};
  Time gap{};
  std::int64_t count = 0;
};

/// As if each were injected: Fabric::inject().
void inject(Fabric& fabric, Message& message, const PacketRun& run);

}  // namespace kbsim::hw
