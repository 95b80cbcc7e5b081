// Reduce-scatter by recursive halving: each exchange halves the parts that a rank still adds up.
#include "kbsim/kernels/doubling.hpp"
#include "kbsim/kernels/prefetch.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

// The parts of the first ranks. Each has that of the rank that it stands for, too.
Chunks parts_of(const Window& window, const Doubling& doubling, std::int64_t n) {
  std::vector<Slices> messages(static_cast<std::size_t>(doubling.size));
  for (int rank = 0; rank < doubling.ranks; ++rank) {
    const Slices part = shifted(window.messages(), rank * n);
    Slices& of = messages[static_cast<std::size_t>(rank % doubling.size)];
    of.insert(of.end(), part.begin(), part.end());
  }
  return Chunks{std::move(messages)};
}

Task<> halving_reduce_scatter(TL& tl, CollectiveArgs args) {
  const Doubling doubling = doubling_of(args);
  const std::optional<int> beside = doubling.beside();
  const std::int64_t n = args.n_elem / args.world_size;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, n);
  // A PE holds all parts, and the sums of one half beside.
  for (const Window& window : windows(args, n, {.shares = 2 * std::int64_t{args.world_size}})) {
    const Slices mine = window.messages();
    Chunks parts = parts_of(window, doubling, n);
    Tiles tiles = co_await load_all(tl, data, parts.messages(), window.budget, {args.op, args.world_size});
    if (doubling.beyond()) {
      Tiles sums = co_await exchange_with(tl, *beside, std::move(tiles), *beside, mine, data.dtype);
      co_await store_all(tl, out, mine, std::move(sums));
      continue;
    }
    if (beside) tiles = co_await combine_with(tl, args, *beside, {}, std::move(tiles));
    parts.put(0, doubling.size, std::move(tiles));
    co_await halve(tl, args, doubling, &parts);
    Tiles sums = parts.tiles(args.rank, 1);
    Tiles theirs{sums.begin() + std::ssize(mine), sums.end()};
    sums.resize(mine.size());
    if (beside) co_await exchange_with(tl, *beside, std::move(theirs), *beside, {}, data.dtype);
    co_await store_all(tl, out, mine, std::move(sums));
  }
}
KBSIM_KERNEL(halving_reduce_scatter, "reduce-scatter by recursive halving: log2 N exchanges");

}  // namespace
}  // namespace kbsim::collective
