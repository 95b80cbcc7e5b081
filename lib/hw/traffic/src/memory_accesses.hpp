#pragma once

#include <cstdint>

#include "kbsim/base/random.hpp"
#include "kbsim/hw/memory/hbm_mapping.hpp"
#include "kbsim/hw/traffic/memory_traffic.hpp"

namespace kbsim::hw {

/// The accesses of a pattern, one after another; each is a read or a write at random. Patterns of banks use
/// the banks of the Spec.
class MemoryAccesses {
 public:
  struct Access {
    bool write = false;
    std::int64_t address = 0;
  };
  MemoryAccesses(const MemoryTrafficRequest& request, Bytes slice, const HbmSpec& spec);

  [[nodiscard]] Access next();

  /// The smallest slice for the pattern: an access in each half, or enough rows that no row repeats among the
  /// requests that a channel's controller chooses from, if it `reorders`.
  [[nodiscard]] static Bytes least_slice(const MemoryTrafficRequest& request, const HbmBanksSpec& spec,
                                         bool reorders);

 private:
  [[nodiscard]] std::int64_t streamed(bool write);
  [[nodiscard]] std::int64_t in_row(std::int64_t bank, std::int64_t row) const;

  MemoryTrafficRequest request_;
  HbmSpec spec_;
  HbmMapping mapping_;
  std::int64_t places_;  // number of accesses that the slice has room for
  std::int64_t rows_;
  std::int64_t count_ = 0;
  std::int64_t read_ = 0;
  std::int64_t written_ = 0;
  Random random_;
};

}  // namespace kbsim::hw
