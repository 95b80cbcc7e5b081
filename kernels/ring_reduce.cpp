// Reduce along a ring: from the one after the root on, message by message, until the root has all.
#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> ring_reduce(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  const int behind = ring_of(args).before(args.place_of(args.root));  // the root
  Node node;
  if (behind != 1) node.children.push_back(Dir::W);
  if (behind != 0) node.parent = Dir::E;
  const Ptr mine = own_data(tl, args);
  const Room room = room_of(args);
  for (const Part& window : cut({.first = 0, .size = args.n_elem}, room.window(2))) {
    const Messages messages = cut(window, room.message);
    Source source{tl, mine, messages, room};
    Tiles sums = co_await reduce_to_root(tl, node, &source, messages, manner_of(args));
    for (Tile& sum : sums) sum = finish(args.op, sum, args.world_size);
    if (node.root()) co_await store_all(tl, mine, messages, sums);
  }
}
KBSIM_KERNEL(ring_reduce, "reduce to `root` along a ring, message by message");

}  // namespace
}  // namespace kbsim
