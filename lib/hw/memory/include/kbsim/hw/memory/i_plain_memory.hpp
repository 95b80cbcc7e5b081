#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/oplog/op.hpp"

namespace kbsim::hw {

/// A memory whose ports are Lanes, each behind a latency, that serve requests as they come.
class IPlainMemory {
 public:
  /// The port for reads, or for writes; perhaps the same.
  [[nodiscard]] virtual Lane& lane(bool write) = 0;
  /// The latency before it.
  [[nodiscard]] virtual Time time_to(bool write) const = 0;
  /// What these bytes are now.
  [[nodiscard]] virtual oplog::Slices holds(std::int64_t address, Bytes bytes) const = 0;

 protected:
  ~IPlainMemory() = default;
};

}  // namespace kbsim::hw
