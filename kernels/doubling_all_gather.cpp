// All-gather by doubling: each exchange doubles the parts that a rank has.
//
// A power of two ranks exchange with those 1, 2, 4, ... away, by their bits. Any other number does as Bruck's
// algorithm: a rank has the parts of the ranks from its own on, and gets those of the ranks after these.
#include <algorithm>

#include "kbsim/kernels/doubling.hpp"
#include "kbsim/kernels/prefetch.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> gather_around(TL& tl, CollectiveArgs args, Chunks* parts) {
  const int n = args.world_size;
  for (int distance = 1; distance < n; distance *= 2) {
    const int count = std::min(distance, n - distance);
    const int from = (args.rank + distance) % n;
    const int to = (args.rank + n - distance) % n;
    Tiles tiles = co_await exchange_with(tl, to, parts->tiles(args.rank, count), from,
                                         parts->messages(from, count), args.data.dtype);
    parts->put(from, count, std::move(tiles));
  }
}

Task<> doubling_all_gather(TL& tl, CollectiveArgs args) {
  const Doubling doubling = doubling_of(args);
  const std::int64_t n = args.n_elem;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, n * args.world_size);
  // A PE holds all parts.
  for (const Window& window : windows(args, n, {.shares = std::int64_t{args.world_size} + 1})) {
    std::vector<Slices> messages;
    for (int rank = 0; rank < args.world_size; ++rank)
      messages.push_back(shifted(window.messages(), rank * n));
    Chunks parts{std::move(messages)};
    Tiles own = co_await load_all(tl, data, window.messages(), window.budget);
    parts.put(args.rank, 1, std::move(own));
    if (doubling.size == doubling.ranks) {
      co_await double_up(tl, doubling, &parts, data.dtype);
    } else {
      co_await gather_around(tl, args, &parts);
    }
    co_await store_all(tl, out, parts.messages(), parts.tiles());
  }
}
KBSIM_KERNEL(doubling_all_gather, "all-gather by doubling: as many exchanges as powers of two below N");

}  // namespace
}  // namespace kbsim::collective
