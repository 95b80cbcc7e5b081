// All-reduce over a binary tree of ranks: up to rank 0, and down again.
#include <ranges>

#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {

Task<Tiles> reduce_to_root(TL& tl, Tree tree, Ptr data, Window window, Combination to) {
  const Slices messages = window.messages();
  Prefetch own{tl, data, messages, window.budget, to};
  InFlight in_flight;
  Tiles result;
  for (const Slice& message : messages) {
    Tile sum = co_await own.load(message);
    for (const Dir child : tree.children) {
      const Tile theirs = co_await tl.recv({.dir = child, .shape = {message.size}, .dtype = data.dtype});
      sum = combine(tl, to.op, sum, theirs);
    }
    if (tree.root()) result.push_back(sum);
    if (!tree.root()) in_flight.add(tl.send({.dir = tree.parent, .src = sum}));
  }
  co_await in_flight.done();
  co_return result;
}

Task<> broadcast_from_root(TL& tl, Tree tree, Tiles result, Ptr data, Window window) {
  InFlight in_flight;
  std::size_t next = 0;
  for (const Slice& message : window.messages()) {
    Tile tile = tree.root() ? result[next++] : Tile{};
    if (!tree.root())
      tile = co_await tl.recv({.dir = tree.parent, .shape = {message.size}, .dtype = data.dtype});
    for (const Dir child : tree.children | std::views::reverse)  // the longest path first
      in_flight.add(tl.send({.dir = child, .src = tile}));
    in_flight.add(tl.store(data + message.first, tile));
  }
  co_await in_flight.done();
}

namespace {

Task<> tree_allreduce(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  Tree tree;
  if (2 * args.rank + 2 < args.world_size) tree.children.push_back({"child_right"});
  if (2 * args.rank + 1 < args.world_size) tree.children.push_back({"child_left"});
  if (args.rank > 0) tree.parent = {"parent"};
  const Ptr data = own_data(tl, args);
  for (const Window& window : windows(args, args.n_elem, {.shares = 2})) {
    Tiles sums = co_await reduce_to_root(tl, tree, data, window, {args.op, args.world_size});
    co_await broadcast_from_root(tl, tree, sums, data, window);
  }
}
KBSIM_KERNEL(tree_allreduce, "all-reduce over a binary tree of ranks, up to rank 0 and down again");

}  // namespace
}  // namespace kbsim::collective
