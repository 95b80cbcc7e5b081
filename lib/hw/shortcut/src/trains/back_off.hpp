#pragma once

#include <cstdint>

namespace kbsim::hw {

/// After a costly revocation, a number of the next packets are reserved no further.
class BackOff {
 public:
  void grow();
  [[nodiscard]] bool pauses();

 private:
  std::uint16_t pause_ = 0;
  std::uint8_t level_ = 0;  // the next pause is 2^level_ packets long
  std::uint8_t tries_ = 0;  // since the last pause
};

}  // namespace kbsim::hw
