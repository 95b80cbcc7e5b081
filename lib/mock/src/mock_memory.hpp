#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "kbsim/base/bytes.hpp"

namespace kbsim::mock {

/// One SIP's memory: allocations with room between them, so that an access beyond an end is noticed.
class Memory {
 public:
  [[nodiscard]] std::uint64_t allocate(Bytes n);

  /// The bytes of [va, va + n). KernelFault naming the nearest allocation unless all are in one.
  [[nodiscard]] std::span<std::byte> at(std::uint64_t va, Bytes n);

 private:
  std::map<std::uint64_t, std::vector<std::byte>> allocations_;  // by first address
  std::uint64_t next_ = 0x1000;
};

}  // namespace kbsim::mock
