// All-reduce over a grid that wraps: a ring along the rows, then one along the columns.
#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> mesh_allreduce(TL& tl, CollectiveArgs args) {
  const Ring row{.position = args.rank % args.sip_w, .size = args.sip_w};
  const Ring column{.position = args.rank / args.sip_w, .size = args.sip_h, .next = Dir::S, .back = Dir::N};
  const Node alone;  // everybody is a root
  co_await all_reduce(tl, alone, {row, column}, std::max(row.size, column.size), args.world_size, args);
}
KBSIM_KERNEL(mesh_allreduce, "all-reduce over a torus: rings along its rows, then along its columns");

}  // namespace
}  // namespace kbsim
