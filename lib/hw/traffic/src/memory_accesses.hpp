#pragma once

#include <cstdint>

#include "kbsim/base/random.hpp"
#include "kbsim/hw/memory/hbm_mapping.hpp"
#include "kbsim/hw/traffic/memory_traffic.hpp"

namespace kbsim::hw {

/// The accesses of a pattern, one after another; each draws whether it is a read. Patterns of banks go by
/// those of the Spec.
class MemoryAccesses {
 public:
  struct Access {
    bool write = false;
    std::int64_t address = 0;
  };
  MemoryAccesses(const MemoryTrafficRequest& request, Bytes slice, const HbmSpec& spec);

  [[nodiscard]] Access next();

  /// Slice in which the pattern is what it is called: an access in each half, or so many rows that none is
  /// twice among those in which a channel's controller looks for one to serve, if it `reorders`.
  [[nodiscard]] static Bytes least_slice(const MemoryTrafficRequest& request, const HbmBanksSpec& spec,
                                         bool reorders);

 private:
  [[nodiscard]] std::int64_t streamed(bool write);
  [[nodiscard]] std::int64_t in_row(std::int64_t bank, std::int64_t row) const;

  MemoryTrafficRequest request_;
  HbmSpec spec_;
  HbmMapping mapping_;
  std::int64_t places_;  // of an access in the slice
  std::int64_t rows_;
  std::int64_t count_ = 0;
  std::int64_t read_ = 0;
  std::int64_t written_ = 0;
  Random random_;
};

}  // namespace kbsim::hw
