// All-gather over a ring: part i of everybody's `out` becomes rank i's data.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> ring_all_gather(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  const Ptr mine = own_data(tl, args);
  const Ptr out = own_out(tl, args, args.n_elem * args.world_size);
  const Room room = room_of(args);
  for (const Part& window : cut({.first = 0, .size = args.n_elem}, room.window(3))) {
    Way way{.ring = ring, .chunks = {}};
    for (int i = 0; i < ring.size; ++i)
      way.chunks.push_back(
          cut({.first = args.rank_at(i) * args.n_elem + window.first, .size = window.size}, room.message));
    const std::vector<Way> ways{way};
    std::vector<Sink> to;
    to.emplace_back(tl, out);
    Tiles own = co_await load_all(tl, mine, cut(window, room.message), room);
    const std::vector<Tiles> tiles{own};
    co_await all_gather(tl, &ways, tiles, &to, manner_of(args));
  }
}
KBSIM_KERNEL(ring_all_gather, "all-gather over a ring, message by message");

}  // namespace
}  // namespace kbsim
