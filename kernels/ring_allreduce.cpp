// All-reduce over a ring: everybody forwards what it receives, until everybody has seen the parts of all.
//
// world_size - 1 rounds of the whole vector: the fewest steps, and so the best for small vectors.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> ring_allreduce(TL& tl, CollectiveArgs args) {
  const Ring ring{.position = args.rank, .size = args.world_size};
  const Manner manner = manner_of(args);
  const Ptr mine = own_data(tl, args);
  // All parts of a window are at hand before they are added up.
  const Messages windows = cut({.first = 0, .size = args.n_elem}, args.tcm_elems / (args.world_size + 1));
  for (const Part& window : windows) {
    const Messages messages = cut(window, args.slot_elems);
    Tiles tiles = co_await load_all(tl, mine, messages);
    tiles = co_await exchange(tl, ring, tiles, manner);
    for (Tile& tile : tiles) tile = finish(tl, args.op, tile, args.world_size);
    co_await store_all(tl, mine, messages, tiles);
  }
}
KBSIM_KERNEL(ring_allreduce, "all-reduce over a ring: world_size - 1 rounds of whole vectors");

}  // namespace
}  // namespace kbsim
