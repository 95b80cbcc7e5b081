#include "faults.hpp"

#include <fmt/format.h>

namespace kbsim::tl_detail {

KernelFault fault(const std::source_location& at, std::string_view text) {
  return KernelFault{fmt::format("{}: {}", to_string(to_place(at)), text)};
}

void require_tile(const Tile& tile, std::string_view call, const std::source_location& at) {
  if (tile.empty())
    throw fault(at, fmt::format("{}: the tile is empty (never assigned, or moved from)", call));
}

}  // namespace kbsim::tl_detail
