// Reduce-scatter over a ring: rank i's `out` becomes the combination of part i of everybody's data.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> ring_reduce_scatter(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  const std::int64_t n = args.n_elem / args.world_size;
  const Ptr mine = own_data(tl, args);
  const Ptr out = own_out(tl, args, n);
  const Room room = room_of(args);
  for (const Part& window : cut({.first = 0, .size = n}, room.window(3))) {
    Way way{.ring = ring, .chunks = {}};
    for (int i = 0; i < ring.size; ++i)
      way.chunks.push_back(
          cut({.first = args.rank_at(i) * n + window.first, .size = window.size}, room.message));
    const std::vector<Way> ways{way};
    std::vector<Source> sources;
    sources.emplace_back(tl, mine, way.order(), room);
    std::vector<Tiles> sums = co_await reduce_scatter(tl, &ways, &sources, manner_of(args));
    for (Tile& sum : sums.front()) sum = finish(args.op, sum, args.world_size);
    co_await store_all(tl, out, cut(window, room.message), sums.front());
  }
}
KBSIM_KERNEL(ring_reduce_scatter, "reduce-scatter over a ring, message by message");

}  // namespace
}  // namespace kbsim
