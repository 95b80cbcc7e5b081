#pragma once

#include <vector>

namespace kbsim {

/// The places of a grid of w columns and h rows, numbered row by row, in an order in which each is a
/// neighbour of the one before and the last one of the first; from 0 on, and by number in one dimension. None
/// if there is no such order: a grid that wraps always has one, another if it is 1 x 2 or both its sides are
/// two at least and one is even.
[[nodiscard]] std::vector<int> closed_walk(int w, int h, bool wraps);

}  // namespace kbsim
