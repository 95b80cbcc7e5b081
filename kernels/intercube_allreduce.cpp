// All-reduce over the cubes of all packages by PE 0 of each cube.
//
// The cubes of a package form a mesh. Partial sums flow east along the rows, then south along the last column
// to the root cube in the corner; the root cubes of all packages exchange, as system.sips joins them; then
// the result flows back north and west. Every cube ends with the sum over all cubes of all packages.
#include <algorithm>
#include <vector>

#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

// Adds a place in a mesh of w by h, by its queues to the east and south, and from the west and north.
void join_mesh(Tree& tree, int place, int w, int h, Dir east, Dir south, Dir west, Dir north) {
  const bool last_column = place % w == w - 1;
  const bool last_row = place / w == h - 1;
  if (place % w > 0) tree.children.push_back(west);
  if (last_column && place >= w) tree.children.push_back(north);
  if (!last_column) tree.parent = east;
  if (last_column && !last_row) tree.parent = south;
}

// The rings in which root cubes exchange, one after the other. In a mesh of packages they are part of the
// tree.
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
  join_mesh(tree, tl.program_id(1), args.cube_w, args.cube_h, Dir::E, Dir::S, Dir::W, Dir::N);
  if (tree.root() && args.exchange == SipExchange::mesh) {
    join_mesh(tree, args.rank, args.sip_w, args.sip_h, Dir::global_E, Dir::global_S, Dir::global_W,
              Dir::global_N);
  }
  const std::vector<Ring> rings = rings_of_packages(args);
  std::int64_t held = 2;  // of each message, on a root: everybody's, and the sum
  for (const Ring& ring : rings) held = std::max<std::int64_t>(held, ring.size + 1);

  const Ptr data = own_data(tl, args);
  for (const Window& window : windows(args, args.n_elem, {.shares = held})) {
    Tiles sums = co_await reduce_to_root(tl, tree, data, window, args.op);
    if (tree.root())
      for (const Ring& ring : rings) sums = co_await exchange(tl, ring, sums, args.op);
    for (Tile& sum : sums) sum = finish(args.op, sum, args.world_size * args.cube_w * args.cube_h);
    co_await broadcast_from_root(tl, tree, sums, data, window);
  }
}
KBSIM_KERNEL(intercube_allreduce, "all-reduce over cubes by mesh chains, over packages by their root cubes");

}  // namespace
}  // namespace kbsim::collective
