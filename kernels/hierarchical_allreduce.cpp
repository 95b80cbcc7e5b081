// All-reduce over all PEs of all packages, level by level.
//
// The PEs of a cube form a ring, which PE 0 opens: both halves send towards it. So do the cubes of a package
// towards cube 0, by their PEs 0. The PEs 0 of the cubes 0 exchange; then the result goes back.
#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

// Adds a place in a ring of `size` that leads to place 0 from both sides.
void join_halves(Node& node, int place, int size, Dir next, Dir back) {
  const int half = size / 2;  // the last place that leads back, the others lead on
  const auto add = [&](bool there, Dir child) {
    if (there) node.children.push_back(child);
  };
  if (place == 0) {
    add(size > 2, back);
    add(size > 1, next);
  } else if (place <= half) {
    add(place < half, next);
    node.parent = back;
  } else {
    add(place > half + 1, back);
    node.parent = next;
  }
}

Task<> hierarchical_allreduce(TL& tl, CollectiveArgs args) {
  const int cubes = args.cube_w * args.cube_h;
  const int pe = tl.program_id(0);
  Node node;
  join_halves(node, pe, args.pes, Dir::E, Dir::W);
  if (pe == 0) join_halves(node, tl.program_id(1), cubes, Dir::S, Dir::N);
  const std::vector<Ring> packages{{.position = args.place_of(args.rank),
                                    .size = args.world_size,
                                    .next = Dir::global_E,
                                    .back = Dir::global_W}};
  co_await all_reduce(tl, node, packages, args.world_size, args.world_size * cubes * args.pes, args);
}
KBSIM_KERNEL(hierarchical_allreduce,
             "all-reduce over all PEs: in each cube, over cubes, over packages, and back");

}  // namespace
}  // namespace kbsim
