#pragma once

#include <cstdint>

#include "kbsim/hw/fabric/fabric.hpp"

namespace kbsim::hw {

/// Packets of an open message that arrive at a place one after another: the first at `head` and `tail`, each
/// other one `gap` later.
struct PacketRun {
  Bytes size;  // of each
  Time head{};
  Time tail{};
  Time gap{};
  std::int64_t count = 0;
};

/// Equivalent to Fabric::inject() for each packet of the run.
void inject(Fabric& fabric, Message& message, const PacketRun& run);

}  // namespace kbsim::hw
