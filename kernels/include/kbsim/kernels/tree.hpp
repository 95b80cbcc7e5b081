#pragma once

#include <vector>

#include "kbsim/kernels/ring.hpp"

namespace kbsim::collective {

/// A PE's place in a tree: the queues that lead to its children, and to its parent unless it is the root.
struct Tree {
  std::vector<Dir> children;  // in the order in which they are combined: that with most below it last
  Dir parent{""};

  [[nodiscard]] bool root() const { return parent.name().empty(); }
};

/// Message by message from the leaves to the root, each PE combining its contribution of `data` with what its
/// children send, in their order. Gives the result on the root, nothing elsewhere. (tree_allreduce.cpp)
[[nodiscard]] Task<Tiles> reduce_to_root(TL& tl, Tree tree, Ptr data, Window window, Combination to);

/// Message by message from the root's `result` to everybody's `data`. (tree_allreduce.cpp)
[[nodiscard]] Task<> broadcast_from_root(TL& tl, Tree tree, Tiles result, Ptr data, Window window);

}  // namespace kbsim::collective
