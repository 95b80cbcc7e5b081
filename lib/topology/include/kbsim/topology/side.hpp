#pragma once

#include <array>
#include <cstddef>

namespace kbsim::topology {

/// Sides of a mesh element, as links and ports are labelled.
enum class Side { east, west, north, south };
inline constexpr std::array<Side, 4> kSides{Side::east, Side::west, Side::north, Side::south};
[[nodiscard]] constexpr std::size_t index(Side side) { return static_cast<std::size_t>(side); }
[[nodiscard]] constexpr Side opposite(Side side) {
  constexpr std::array<Side, 4> kOpposite{Side::west, Side::east, Side::south, Side::north};
  return kOpposite[index(side)];
}

/// The first direction of a route in a mesh: along a row, or along a column.
enum class DimensionOrder { xy, yx };

}  // namespace kbsim::topology
