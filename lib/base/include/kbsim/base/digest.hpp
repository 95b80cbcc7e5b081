#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kbsim/base/fnv.hpp"

namespace kbsim {

/// A 64-bit FNV-1a fingerprint of what a run recorded: equal runs have equal digests on every machine.
/// Not for security.
class Digest {
 public:
  template <std::integral T>
  constexpr Digest& add(T value) {
    auto bits = static_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) mix(static_cast<std::uint8_t>(bits));
    return *this;
  }
  constexpr Digest& add(std::string_view text) {
    for (const char c : text) mix(static_cast<std::uint8_t>(c));
    return add(text.size());
  }
  /// Adds bytes, but not their number: splitting them into several calls makes no difference.
  Digest& add_bytes(std::span<const std::byte> bytes) {
    hash_ = fnv1a(hash_, bytes);
    return *this;
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return hash_; }

 private:
  constexpr void mix(std::uint8_t byte) { hash_ = fnv1a(hash_, std::byte{byte}); }
  std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325ULL;
};

[[nodiscard]] std::string to_string(const Digest& digest);  // sixteen hex digits

}  // namespace kbsim
