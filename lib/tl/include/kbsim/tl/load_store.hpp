#pragma once

#include <source_location>
#include <string_view>

#include "kbsim/tl/block.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// Memory into a tile: completed with the tile when its last byte has arrived.
struct LoadCommand {
  static constexpr std::string_view kName = "load";
  Block from;
  std::source_location at;
};

/// The block's part of a tile into memory: done when the memory has acknowledged.
struct StoreCommand {
  static constexpr std::string_view kName = "store";
  Block to;
  TilePtr tile;
  std::source_location at;
};

}  // namespace kbsim
