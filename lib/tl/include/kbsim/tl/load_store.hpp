#pragma once

#include <source_location>
#include <string_view>

#include "kbsim/tl/block.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

/// Memory into a tile: completed with it when its last byte is there.
struct LoadCommand {
  static constexpr std::string_view kName = "load";
  Block from;
  std::source_location at;
};

/// What a block has of a tile, into memory: done when the memory has acknowledged.
struct StoreCommand {
  static constexpr std::string_view kName = "store";
  Block to;
  TilePtr tile;
  std::source_location at;
};

}  // namespace kbsim
