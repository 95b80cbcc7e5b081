// All-reduce over a binary tree of ranks: up to rank 0, and down again.
#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> tree_allreduce(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  Node node;
  if (2 * args.rank + 2 < args.world_size) node.children.push_back({"child_right"});
  if (2 * args.rank + 1 < args.world_size) node.children.push_back({"child_left"});
  if (args.rank > 0) node.parent = {"parent"};
  co_await all_reduce(tl, node, {}, 1, args.world_size, args);
}
KBSIM_KERNEL(tree_allreduce, "all-reduce over a binary tree of ranks, up to rank 0 and down again");

}  // namespace
}  // namespace kbsim
