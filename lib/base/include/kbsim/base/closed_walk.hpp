#pragma once

#include <vector>

namespace kbsim {

/// A closed walk over the places of a grid of w columns and h rows, numbered row by row. Each place is a
/// neighbour of the one before, and the last one of the first. Begins with 0, and goes by number in one
/// dimension. Empty if there is none: a grid that wraps always has one; another has one if it is 1 x 2, or if
/// both its sides are at least two and one is even.
[[nodiscard]] std::vector<int> closed_walk(int w, int h, bool wraps);

}  // namespace kbsim
