#pragma once

#include <vector>

#include "kbsim/kernels/ring.hpp"

namespace kbsim::collective {

/// A PE's place in a tree: the queues that lead to its children, and to its parent unless it is the root.
struct Tree {
  std::vector<Dir> children;  // in the order of combination: the child with the largest subtree last
  Dir parent{""};

  [[nodiscard]] bool root() const { return parent.name().empty(); }
};

/// Reduces from the leaves to the root, message by message. Each PE combines its contribution of `data` with
/// its children's tiles, in the children's order. The root alone gets a result. (tree_allreduce.cpp)
[[nodiscard]] Task<Tiles> reduce_to_root(TL& tl, Tree tree, Ptr data, Window window, Combination to);

/// Sends the root's `result` to the `data` of all PEs, message by message. (tree_allreduce.cpp)
[[nodiscard]] Task<> broadcast_from_root(TL& tl, Tree tree, Tiles result, Ptr data, Window window);

}  // namespace kbsim::collective
