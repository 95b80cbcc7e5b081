#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace kbsim::models {

/// Positions of tokens: queries and keys turn by them (RoPE), a learned row is added to the embedding, or
/// none.
enum class Positions : std::uint8_t { rotary, learned, none };

enum class RopeScaling : std::uint8_t { none, linear, llama3 };

/// Rotary positions: pairs of elements of a head turn by position x frequency.
struct Rope {
  double theta = 10000.0;
  std::optional<std::int64_t> dims;  // elements of a head that turn, the first ones; not given: all
  bool interleaved = false;          // a pair is two neighbours, else an element and the one half of dims on
  RopeScaling scaling = RopeScaling::none;
  double factor = 1.0;
  double low_freq_factor = 1.0;  // the others are llama3's alone
  double high_freq_factor = 4.0;
  double original_max_positions = 8192.0;
};

/// Radians per position of each pair, the fastest first, as in Hugging Face's modeling_rope_utils:
/// theta^(-2i/dims), scaled. `dims` is even.
[[nodiscard]] std::vector<double> rope_frequencies(const Rope& rope, std::int64_t dims);

}  // namespace kbsim::models
