#pragma once

#include <vector>

namespace kbsim {

/// The places of a grid of w columns and h rows, numbered row by row, from neighbour to neighbour: the first
/// row to the east, the second to the west, and so on.
[[nodiscard]] std::vector<int> open_walk(int w, int h);

}  // namespace kbsim
