// All-reduce over a grid that wraps: a ring along the rows, then one along the columns.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> mesh_allreduce(TL& tl, CollectiveArgs args) {
  const Ring row{.position = args.rank % args.sip_w, .size = args.sip_w};
  const Ring column{.position = args.rank / args.sip_w, .size = args.sip_h, .next = Dir::S, .back = Dir::N};
  const Manner manner = manner_of(args);
  const Ptr mine = own_data(tl, args);
  const int parts = std::max(args.sip_w, args.sip_h) + 1;
  const Messages windows = cut({.first = 0, .size = args.n_elem}, args.tcm_elems / parts);
  for (const Part& window : windows) {
    const Messages messages = cut(window, args.slot_elems);
    Tiles tiles = co_await load_all(tl, mine, messages);
    tiles = co_await exchange(tl, row, tiles, manner);
    tiles = co_await exchange(tl, column, tiles, manner);
    for (Tile& tile : tiles) tile = finish(tl, args.op, tile, args.world_size);
    co_await store_all(tl, mine, messages, tiles);
  }
}
KBSIM_KERNEL(mesh_allreduce, "all-reduce over a torus: rings along its rows, then along its columns");

}  // namespace
}  // namespace kbsim
