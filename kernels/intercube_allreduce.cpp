// All-reduce over the cubes of all packages by PE 0 of each cube.
//
// The cubes of a package form a mesh. Partial sums flow along the rows to the root cube's column, then along
// that column to the root cube (east and south if it is the last cube, in the corner). The root cubes of all
// packages exchange, as system.sips joins them; then the result flows back. Every cube ends with the sum over
// all cubes of all packages.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

struct IntercubeSpec {
  int root_cube = -1;

  static void describe(auto& f) {
    f.add("root_cube", &IntercubeSpec::root_cube, at_least(-1),
          "cube at which those of a package meet; -1: the last");
  }
};

// Index of the root cube in its package.
int root_cube(const CollectiveArgs& args) {
  const int cubes = args.cube_w * args.cube_h;
  const int wanted = args.own.as<IntercubeSpec>().root_cube;
  if (wanted < cubes) return wanted < 0 ? cubes - 1 : wanted;
  throw UsageError{
      fmt::format("root_cube {}: a package has cubes 0 to {} (sip.cube_mesh)", wanted, cubes - 1)};
}

// Adds a place in a line of `size` that leads to the place `root` from both sides.
void join_line(Tree& tree, int place, int size, int root, Dir next, Dir back) {
  if (place <= root && place > 0) tree.children.push_back(back);
  if (place >= root && place < size - 1) tree.children.push_back(next);
  if (place != root) tree.parent = place < root ? next : back;
}

// Adds a place in a mesh of w by h: rows lead to the root's column, and the column leads to the root.
void join_mesh(Tree& tree, int place, int w, int h, int root, Dir east, Dir south, Dir west, Dir north) {
  join_line(tree, place % w, w, root % w, east, west);
  if (place % w == root % w) join_line(tree, place / w, h, root / w, south, north);
}

// Adds a package's place in a binary tree of packages: the child with the largest subtree last.
void join_tree(Tree& tree, int rank, int ranks) {
  if (2 * rank + 2 < ranks) tree.children.push_back({"global_child_right"});
  if (2 * rank + 1 < ranks) tree.children.push_back({"global_child_left"});
  if (rank > 0) tree.parent = {"global_parent"};
}

// The rings in which root cubes exchange, one after the other. In a mesh or tree of packages they are part of
// the tree.
std::vector<Ring> rings_of_packages(const CollectiveArgs& args) {
  const Ring all{.position = args.rank, .size = args.world_size};  // by number
  const Ring column = column_of(args).by(Dir::global_S, Dir::global_N);
  if (args.exchange == SipExchange::ring) return {all.by(Dir::global_E, Dir::global_W)};
  if (args.exchange == SipExchange::torus) return {row_of(args).by(Dir::global_E, Dir::global_W), column};
  return {};
}

Task<> intercube_allreduce(TL& tl, CollectiveArgs args) {
  if (tl.program_id(0) != 0) co_return;
  Tree tree;
  join_mesh(tree, tl.program_id(1), args.cube_w, args.cube_h, root_cube(args), Dir::E, Dir::S, Dir::W,
            Dir::N);
  if (tree.root() && args.exchange == SipExchange::mesh) {
    join_mesh(tree, args.rank, args.sip_w, args.sip_h, args.world_size - 1, Dir::global_E, Dir::global_S,
              Dir::global_W, Dir::global_N);
  }
  if (tree.root() && args.exchange == SipExchange::tree) join_tree(tree, args.rank, args.world_size);
  const std::vector<Ring> rings = rings_of_packages(args);
  std::int64_t held = 2;  // per message, on a root: one tile of each ring member, and the sum
  for (const Ring& ring : rings) held = std::max<std::int64_t>(held, ring.size + 1);

  const Ptr data = own_data(tl, args);
  const Combination to{args.op, args.world_size * args.cube_w * args.cube_h};
  for (const Window& window : windows(args, args.n_elem, {.shares = held})) {
    Tiles sums = co_await reduce_to_root(tl, tree, data, window, to);
    if (tree.root())
      for (const Ring& ring : rings) sums = co_await exchange(tl, ring, sums, args.op);
    co_await broadcast_from_root(tl, tree, sums, data, window);
  }
}
KBSIM_KERNEL_KEYS(intercube_allreduce, IntercubeSpec, "cube_mesh", "cube_leaders", "root_cube");
KBSIM_KERNEL(intercube_allreduce, "all-reduce over cubes by mesh chains, over packages by their root cubes");

}  // namespace
}  // namespace kbsim::collective
