// All-reduce over the cubes of all packages by PE 0 of each cube.
//
// The cubes of a package form a mesh. Partial sums flow east along the rows, then south along the last column
// to the root cube in the corner; the root cubes of all packages exchange, as system.sips joins them; then
// the result flows back north and west. Every cube ends with the sum over all cubes of all packages.
#include <array>

#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

// Where a place of a mesh sends what it has, and from where it gets what it adds.
void join_mesh(Node& node, int place, int w, int h, std::array<Dir, 4> east_west_north_south) {
  const auto [east, west, north, south] = east_west_north_south;
  const int column = place % w;
  const int row = place / w;
  if (column > 0) node.children.push_back(west);
  if (column < w - 1) {
    node.parent = east;
    return;
  }
  if (row > 0) node.children.push_back(north);
  if (row < h - 1) node.parent = south;
}

// The rings of root cubes; in a mesh of packages they are part of the tree.
std::vector<Ring> join_packages(Node& node, const CollectiveArgs& args) {
  const Ring row{
      .position = args.rank % args.sip_w, .size = args.sip_w, .next = Dir::global_E, .back = Dir::global_W};
  const Ring column{
      .position = args.rank / args.sip_w, .size = args.sip_h, .next = Dir::global_S, .back = Dir::global_N};
  switch (args.exchange) {
    case SipExchange::torus: return {row, column};
    case SipExchange::mesh:
      join_mesh(node, args.rank, args.sip_w, args.sip_h,
                {Dir::global_E, Dir::global_W, Dir::global_N, Dir::global_S});
      return {};
    case SipExchange::ring:
      return {{.position = args.rank, .size = args.world_size, .next = Dir::global_E, .back = Dir::global_W}};
  }
  return {};
}

// What a root has to deal with, as all others know too.
int largest_ring(const CollectiveArgs& args) {
  switch (args.exchange) {
    case SipExchange::torus: return std::max(args.sip_w, args.sip_h);
    case SipExchange::mesh: return 1;
    case SipExchange::ring: return args.world_size;
  }
  return 1;
}

Task<> intercube_allreduce(TL& tl, CollectiveArgs args) {
  if (tl.program_id(0) != 0) co_return;
  const int cubes = args.cube_w * args.cube_h;
  Node node;
  join_mesh(node, tl.program_id(1), args.cube_w, args.cube_h, {Dir::E, Dir::W, Dir::N, Dir::S});
  std::vector<Ring> roots;
  if (node.root()) roots = join_packages(node, args);
  co_await all_reduce(tl, node, roots, largest_ring(args), args.world_size * cubes, args);
}
KBSIM_KERNEL(intercube_allreduce, "all-reduce over cubes by mesh chains, over packages by their root cubes");

}  // namespace
}  // namespace kbsim
