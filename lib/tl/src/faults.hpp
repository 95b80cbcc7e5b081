#pragma once

#include <source_location>
#include <string_view>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim::tl_detail {

/// A kernel's mistake, at its line.
[[nodiscard]] KernelFault fault(const std::source_location& at, std::string_view text);
void require_tile(const Tile& tile, std::string_view call, const std::source_location& at);

}  // namespace kbsim::tl_detail
