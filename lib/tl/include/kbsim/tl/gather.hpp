#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kbsim/tl/block.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

struct GatherArgs {
  std::int64_t row = 0;                   // elements per row; 0: single elements, without an axis
  std::optional<std::int64_t> rows = {};  // number of rows; none: all that are mapped
};
static_assert(std::is_aggregate_v<GatherArgs> && std::is_trivially_destructible_v<GatherArgs>);

/// Rows of memory into a tile: completed with the tile, or failed with a KernelFault for an index out of
/// range. Indices are checked only then.
struct GatherCommand {
  static constexpr std::string_view kName = "gather";
  static constexpr bool kRowMajor = false;  // its rows lie anywhere
  Ptr base;
  TilePtr indices;
  std::int64_t row = 1;  // elements
  std::optional<std::int64_t> rows;
  Shape shape;  // of the result
  std::source_location at;
};

/// Where the rows that the indices name lie, in the order of the indices; consecutive ones are one run.
/// KernelFault for an index below 0 or beyond `rows`, with its place in the tile.
[[nodiscard]] Block block_of(const GatherCommand& command, std::span<const double> indices);

/// A run's name in faults: "gather, row 5" or "gather, rows 5 to 7,".
[[nodiscard]] std::string described(const GatherCommand& command, const BlockRun& run);

}  // namespace kbsim
