// All-reduce over all PEs of all packages, level by level.
//
// The PEs of a cube form a ring; both halves send towards PE 0. The cubes of a package do the same towards
// cube 0, by their PEs 0. The PEs 0 of the cubes 0 exchange; then the result goes back.
#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

// Adds a place in a ring of `size` that leads to place 0 from both sides.
void join_halves(Tree& tree, int place, int size, Dir next, Dir back) {
  const int half = size / 2;  // the last place that leads back, the others lead on
  const auto add = [&](bool there, Dir child) {
    if (there) tree.children.push_back(child);
  };
  if (place == 0) {
    add(size > 2, back);
    add(size > 1, next);
  } else if (place <= half) {
    add(place < half, next);
    tree.parent = back;
  } else {
    add(place > half + 1, back);
    tree.parent = next;
  }
}

Task<> hierarchical_allreduce(TL& tl, CollectiveArgs args) {
  const int cubes = args.cube_w * args.cube_h;
  const int pe = tl.program_id(0);
  Tree tree;
  join_halves(tree, pe, args.pes, Dir::E, Dir::W);
  if (pe == 0) join_halves(tree, tl.program_id(1), cubes, Dir::N, Dir::S);
  const Ring packages = ring_of(args).by(Dir::global_E, Dir::global_W);
  const Ptr data = own_data(tl, args);
  // A root holds, per message, one tile of each package and the sum.
  for (const Window& window : windows(args, args.n_elem, {.shares = packages.size + 1})) {
    Tiles sums =
        co_await reduce_to_root(tl, tree, data, window, {args.op, args.world_size * cubes * args.pes});
    if (tree.root()) sums = co_await exchange(tl, packages, sums, args.op);
    co_await broadcast_from_root(tl, tree, sums, data, window);
  }
}
KBSIM_KERNEL(hierarchical_allreduce,
             "all-reduce over all PEs: in each cube, over cubes, over packages, and back");

}  // namespace
}  // namespace kbsim::collective
