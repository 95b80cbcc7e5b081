#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// A FIFO server of one rate for packets: a direction of a link, or a memory's port. Cut-through: service
/// may start when the head is there and ends no sooner than the tail.
///   start = max(head, free), end = max(start + ser(n), tail), then free = end.
class Lane {
 public:
  struct Slot {
    Time start;
    Time end;
  };

  Lane() = default;
  explicit Lane(Bandwidth rate) : rate_{rate} {}

  /// In the order of the calls. `head` and `tail` include the overhead before this server.
  Slot reserve(Time head, Time tail, Bytes n) {
    const Time service = rate_.serialization(n);
    const Time start = std::max(head, free_);
    const Time end = std::max(start + service, tail);
    free_ = end;
    busy_ += service;
    bytes_ += n;
    return {start, end};
  }

  [[nodiscard]] Bandwidth rate() const { return rate_; }
  [[nodiscard]] Time busy() const { return busy_; }
  /// When all that was reserved is served.
  [[nodiscard]] Time free() const { return free_; }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  Bandwidth rate_ = Bandwidth::gbs(1.0);
  Time free_{};
  Time busy_{};
  Bytes bytes_;
};

}  // namespace kbsim::hw
