#pragma once

#include <algorithm>
#include <utility>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/causes.hpp"

namespace kbsim::hw {

/// The processor of a port between chips: one resource for what the port sends and what it receives
/// (config::ChipLinkSpec). A packet is sent when it is free. A packet that is received goes on at once, and
/// its time is added to what the processor has to do.
class PortProcessor {
 public:
  PortProcessor(Time send, Time receive) : send_{send}, receive_{receive} {}

  /// When all that it has to do is done.
  [[nodiscard]] Time free() const { return free_; }
  /// When a packet that arrives at `at` would be done.
  [[nodiscard]] Time after_receipt(Time at) const { return std::max(free_, at) + receive_; }
  /// When a packet that is sent from `start` on would be done; `start` isn't before free().
  [[nodiscard]] Time after_sending(Time start) const { return start + send_; }
  /// `why` is the cause of free(), if causes are kept.
  void busy_until(Time free, Cause why = {}) {
    free_ = free;
    why_ = std::move(why);
  }
  [[nodiscard]] const Cause& why_free() const { return why_; }

 private:
  Time send_;
  Time receive_;
  Time free_{};
  Cause why_;
};

}  // namespace kbsim::hw
