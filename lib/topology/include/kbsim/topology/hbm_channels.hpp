#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/config/floor_plan.hpp"

namespace kbsim::topology {

/// The addresses of the memory channels that the PEs of a cube share. Blocks of `interleave` bytes go round
/// the channels; with 0 one channel's addresses are before the next one's.
class HbmChannels {
 public:
  struct Place {
    int channel = 0;
    std::int64_t address = 0;   // in the channel
    std::int64_t together = 0;  // bytes from there on that are in it without a gap
    friend bool operator==(const Place&, const Place&) = default;
  };

  explicit HbmChannels(const config::FloorPlanSpec& plan)
      : count_{plan.channels()},
        size_{plan.hbm.channel.count()},
        block_{plan.hbm.interleave > 0_B && count_ > 1 ? plan.hbm.interleave.count() : size_} {}

  [[nodiscard]] Bytes size() const { return Bytes{size_ * count_}; }
  /// The place of an offset in the cube's HBM, which is less than size().
  [[nodiscard]] Place at(std::int64_t offset) const {
    const std::int64_t block = offset / block_;
    const std::int64_t in_block = offset % block_;
    return {.channel = static_cast<int>(block % count_),
            .address = block / count_ * block_ + in_block,
            .together = block_ - in_block};
  }
  /// The offset in the cube's HBM of an address of a channel.
  [[nodiscard]] std::int64_t offset(int channel, std::int64_t address) const {
    return (address / block_ * count_ + channel) * block_ + address % block_;
  }

 private:
  std::int64_t count_;
  std::int64_t size_;   // of a channel
  std::int64_t block_;  // a divisor of it
};

}  // namespace kbsim::topology
