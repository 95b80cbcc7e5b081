#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>

#include "kbsim/tl/arguments.hpp"
#include "kbsim/tl/atomic.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// Sets the word of a signal to the value, or adds the value to the word.
enum class SignalOp : std::uint8_t { set, add };

struct PutArgs {
  Ptr dst;
  const Tile& src;
  Ptr signal;  // an i32 or i64 word
  std::int64_t value = 1;
  SignalOp op = SignalOp::set;
};

/// Exactly one of the two conditions must be given.
struct WaitSignalArgs {
  Ptr signal;  // an i32 or i64 word
  std::optional<std::int64_t> at_least = {};
  std::optional<std::int64_t> equal = {};
};
static_assert(kArguments<PutArgs> && kArguments<WaitSignalArgs>);

/// The condition on a signal's word: exactly this value, or at least this value.
struct Condition {
  bool exactly = false;
  std::int64_t value = 0;
  [[nodiscard]] bool met(double word) const {
    const auto wanted = static_cast<double>(value);
    return exactly ? word == wanted : word >= wanted;
  }
  friend auto operator<=>(const Condition&, const Condition&) = default;
};

/// A tile into memory, then its signal, an atomic on one word: done when the atomic has been served.
struct PutCommand {
  static constexpr std::string_view kName = "put";
  Ptr to;
  TilePtr tile;
  AtomicCommand signal;
  std::source_location at;
};

/// Done when the word meets its condition, or an atomic has made it so.
struct SignalCommand {
  static constexpr std::string_view kName = "wait_signal";
  Ptr word;
  Condition until;
  std::source_location at;
};

}  // namespace kbsim
