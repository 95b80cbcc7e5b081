#pragma once

#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "kbsim/tl/block.hpp"
#include "kbsim/tl/number.hpp"
#include "kbsim/tl/ptr.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// The mask of a load: a bool tile that broadcasts to the shape. Elements where it is false aren't read; they
/// have the value `other`.
struct LoadMask {
  const Tile& mask;
  Number other = 0;
};

/// The mask of a store: a bool tile that broadcasts to the tile's shape. Elements where it is false aren't
/// written.
struct StoreMask {
  const Tile& mask;
};
static_assert(std::is_aggregate_v<LoadMask> && std::is_trivially_destructible_v<LoadMask>);
static_assert(std::is_aggregate_v<StoreMask> && std::is_trivially_destructible_v<StoreMask>);

/// The elements of a row-major block of memory whose mask is true into a tile.
struct MaskedLoadCommand {
  static constexpr std::string_view kName = "load";
  static constexpr bool kRowMajor = true;  // the block from its first element to its last
  Ptr from;
  Shape shape;
  TilePtr mask;
  double other = 0.0;
  std::source_location at;
};

/// The elements of a tile whose mask is true into a row-major block of memory.
struct MaskedStoreCommand {
  static constexpr std::string_view kName = "store";
  static constexpr bool kRowMajor = true;
  Ptr to;
  TilePtr tile;
  TilePtr mask;
  std::source_location at;
};

/// The elements whose mask is true, by the numbers of the mask; consecutive ones are one run.
[[nodiscard]] Block block_of(const MaskedLoadCommand& command, std::span<const double> mask);
[[nodiscard]] Block block_of(const MaskedStoreCommand& command, std::span<const double> mask);

/// A run's name in faults: "load, element [0, 3]," or "store, elements [0, 3] to [1, 2],".
[[nodiscard]] std::string described(const MaskedLoadCommand& command, const BlockRun& run);
[[nodiscard]] std::string described(const MaskedStoreCommand& command, const BlockRun& run);

}  // namespace kbsim
