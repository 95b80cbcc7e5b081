#pragma once

#include <vector>

#include "kbsim/kernels/ring.hpp"

namespace kbsim::collective {

/// A PE's place in a tree: the queues that lead to its children, and to its parent unless it is the root.
struct Node {
  std::vector<Dir> children;  // in the order in which they are combined: that with most below it last
  Dir parent{""};

  [[nodiscard]] bool root() const { return parent.name.empty(); }
};

/// Message by message from the leaves to the root, each node combining its own with its children's, in their
/// order. Gives the result on the root, nothing elsewhere.
[[nodiscard]] Task<Tiles> reduce_to_root(TL& tl, Node node, Source* mine, Messages messages, Manner manner);

/// Message by message from the root's `source` to everybody's `sink`.
[[nodiscard]] Task<> broadcast_from_root(TL& tl, Node node, Source* source, Messages messages, Sink* sink,
                                         Manner manner);

/// All-reduce of this PE's part of the data, in place, over trees whose roots form rings: up the tree, round
/// each ring in turn, and down again. `largest` is that of the rings: who is no root cuts the same windows.
[[nodiscard]] Task<> all_reduce(TL& tl, Node node, std::vector<Ring> roots, int largest, int parts,
                                CollectiveArgs args);

}  // namespace kbsim::collective
