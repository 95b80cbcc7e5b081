#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kbsim {

/// The role of a PE at its end of a queue.
enum class Flow : std::uint8_t { both, sends, receives };

[[nodiscard]] constexpr bool sends(Flow flow) { return flow != Flow::receives; }
[[nodiscard]] constexpr bool receives(Flow flow) { return flow != Flow::sends; }

/// The role of the peer at the other end.
[[nodiscard]] constexpr Flow answer(Flow flow) {
  constexpr std::array kAnswers{Flow::both, Flow::receives, Flow::sends};
  return kAnswers[static_cast<std::size_t>(flow)];
}

/// "sends only" or "receives only"; "" for both.
[[nodiscard]] constexpr std::string_view limit_of(Flow flow) {
  constexpr std::array<std::string_view, 3> kLimits{"", "sends only", "receives only"};
  return kLimits[static_cast<std::size_t>(flow)];
}

}  // namespace kbsim
