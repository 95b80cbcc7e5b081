#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/oplog/op.hpp"

namespace kbsim::hw {

/// A memory whose ports are Lanes, each after a latency; they serve requests as they arrive.
class IPlainMemory {
 public:
  /// The port for reads, or for writes; perhaps the same.
  [[nodiscard]] virtual Lane& lane(bool write) = 0;
  /// The latency before that port.
  [[nodiscard]] virtual Time time_to(bool write) const = 0;
  /// The present contents of these bytes.
  [[nodiscard]] virtual oplog::Slices holds(std::int64_t address, Bytes bytes) const = 0;

 protected:
  ~IPlainMemory() = default;
};

}  // namespace kbsim::hw
