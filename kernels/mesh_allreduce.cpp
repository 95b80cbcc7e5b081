// All-reduce over a grid that wraps: a ring along the rows, then one along the columns.
#include <algorithm>

#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> mesh_allreduce(TL& tl, CollectiveArgs args) {
  const Ring row = row_of(args);
  const Ring column = column_of(args);
  const Ptr data = own_data(tl, args);
  // A PE holds, per message, one tile of each ring member and the sum.
  for (const Window& window : windows(args, args.n_elem, {.shares = std::max(row.size, column.size) + 1})) {
    const Slices messages = window.messages();
    Tiles tiles = co_await load_all(tl, data, messages, window.budget, {args.op, args.world_size});
    tiles = co_await exchange(tl, row, tiles, args.op);
    tiles = co_await exchange(tl, column, tiles, args.op);
    co_await store_all(tl, data, messages, tiles);
  }
}
KBSIM_KERNEL(mesh_allreduce, "all-reduce over a torus: rings along its rows, then along its columns");

}  // namespace
}  // namespace kbsim::collective
