#include "back_off.hpp"

namespace kbsim::hw {

// The next packets reserve no further. Their number doubles with each costly revocation, up to a limit.
void BackOff::grow() {
  constexpr std::uint8_t kMostLevel = 4;
  pause_ = static_cast<std::uint16_t>(1U << level_);
  if (level_ < kMostLevel) ++level_;
  tries_ = 0;
}

bool BackOff::pauses() {
  constexpr std::uint32_t kTries = 16;  // packets without a pause until the next one is halved
  if (pause_ > 0) return --pause_, true;
  if (level_ > 0 && ++tries_ == kTries) --level_, tries_ = 0;
  return false;
}

}  // namespace kbsim::hw
