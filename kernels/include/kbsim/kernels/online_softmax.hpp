#pragma once

#include <cstdint>

#include "kbsim/tl/tl.hpp"

namespace kbsim::attention {

/// Attention over the keys so far, one row per query: the largest score, the sum of exp(score - largest), and
/// the values weighted by exp(score - largest), not yet divided by the sum. All f32.
struct Running {
  Tile largest;
  Tile sum;
  Tile out;
};

/// The score of a key that isn't seen. It is finite, so that a row may meet such keys first: their sum is
/// weighted with exp(kUnseen - largest) = 0 as soon as a key is seen.
constexpr double kUnseen = -1e30;

/// Over no keys.
[[nodiscard]] Running over_no_keys(TL& tl, std::int64_t rows, std::int64_t d);
/// With the keys of these scores, [rows, keys], and of these values, [keys, d].
[[nodiscard]] Running attend(TL& tl, const Tile& scores, const Tile& v, const Running& before);
/// The product, before it is scaled, of a key that isn't seen. Times the scale a power of two is exact, so
/// that a row that meets such keys first has exp(0) for them, too.
constexpr double kUnseenProduct = -0x1p100;
/// With scores products * scale, scale positive: one pass less over the products.
[[nodiscard]] Running attend(TL& tl, const Tile& products, double scale, const Tile& v,
                             const Running& before);
/// The same over these keys alone.
[[nodiscard]] Running attend_first(TL& tl, const Tile& products, double scale, const Tile& v);
/// The result [rows, columns] of causal attention whose row i stands at position `first + i` of the keys.
/// Rows before the first key see no key: they are 0.
[[nodiscard]] Tile zero_before_keys(TL& tl, const Tile& result, std::int64_t first);
/// Over the keys of both.
[[nodiscard]] Running merge(TL& tl, const Running& a, const Running& b);

}  // namespace kbsim::attention
