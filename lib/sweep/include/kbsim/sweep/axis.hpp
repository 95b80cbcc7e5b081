#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/error.hpp"

namespace kbsim::sweep {

/// A value of an axis: its text in tables, and the words that it adds to a command.
struct AxisValue {
  std::string text;
  std::vector<std::string> words;
};

/// One property that varies from point to point.
struct Axis {
  std::string name;  // a key of the configuration, an option without its dashes, or a name of configurations
  std::vector<AxisValue> values;
  Place at = {};
};

/// An axis of a key of the configuration ("cube.w") or, if the name begins with dashes, of an option.
[[nodiscard]] Axis axis_of(const std::string& name, const std::vector<std::string>& values, Place at = {});

/// The values that a text names: "128,256,512", "2..8" (2 to 8), "1..9+2" (1 3 5 7 9), "2..16*2" (2 4 8 16),
/// "1K..4M*4" (in bytes), and "RANGE random N seed S": N different ones of them, in their order. UsageError
/// for other texts.
[[nodiscard]] std::vector<std::string> values_in(std::string_view text);

/// Whether a text names several values.
[[nodiscard]] bool names_several(std::string_view text);

/// A number, with K, M, G, KiB, MiB, GiB as powers of 1024; false if it isn't one.
[[nodiscard]] bool read_number(std::string_view text, double* number);

/// N of `all` indices, in their order, by seed.
[[nodiscard]] std::vector<std::size_t> drawn(std::size_t all, std::size_t n, std::uint64_t seed);

/// "N seed S".
struct Sample {
  std::size_t count = 0;
  std::uint64_t seed = 0;
};
[[nodiscard]] Sample sample_in(std::string_view text);

}  // namespace kbsim::sweep
