// Broadcast along a ring: from the root to the next and on, message by message, until everybody has it.
#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> ring_broadcast(TL& tl, CollectiveArgs args) {
  const int behind = ring_of(args).before(args.place_of(args.root));  // the root
  Node node;
  if (behind < args.world_size - 1) node.children.push_back(Dir::E);
  if (behind > 0) node.parent = Dir::W;
  const Ptr mine = own_data(tl, args);
  const Room room = room_of(args);
  for (const Part& window : cut({.first = 0, .size = args.n_elem}, room.window(2))) {
    const Messages messages = cut(window, room.message);
    Source source{tl, mine, messages, room};
    Sink sink{tl, mine};
    co_await broadcast_from_root(tl, node, &source, messages, &sink, manner_of(args));
  }
}
KBSIM_KERNEL(ring_broadcast, "broadcast from `root` along a ring, message by message");

}  // namespace
}  // namespace kbsim
