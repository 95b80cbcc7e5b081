// All-reduce by halving and doubling: a reduce-scatter by recursive halving, an all-gather by doubling.
#include "kbsim/kernels/doubling.hpp"
#include "kbsim/kernels/prefetch.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Chunks chunks_of(const Window& window, int count) {
  std::vector<Slices> messages;
  for (int i = 0; i < count; ++i) messages.push_back(window.share(i, count).messages());
  return Chunks{std::move(messages)};
}

Task<> halving_doubling_allreduce(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  const Doubling doubling = doubling_of(args);
  const std::optional<int> beside = doubling.beside();
  const Ptr data = own_data(tl, args);
  // A PE holds all chunks, and the sums of one half beside.
  for (const Window& window : windows(args, args.n_elem, {.shares = 2})) {
    Chunks chunks = chunks_of(window, doubling.size);
    const Slices messages = chunks.messages();
    Tiles tiles = co_await load_all(tl, data, messages, window.budget, {args.op, args.world_size});
    if (doubling.beyond()) {
      tiles = co_await exchange_with(tl, *beside, std::move(tiles), *beside, messages, data.dtype);
      co_await store_all(tl, data, messages, std::move(tiles));
      continue;
    }
    if (beside) tiles = co_await combine_with(tl, args, *beside, {}, std::move(tiles));
    chunks.put(0, doubling.size, std::move(tiles));
    co_await halve(tl, args, doubling, &chunks);
    co_await double_up(tl, doubling, &chunks, data.dtype);
    if (beside) co_await exchange_with(tl, *beside, chunks.tiles(), *beside, {}, data.dtype);
    co_await store_all(tl, data, messages, chunks.tiles());
  }
}
KBSIM_KERNEL(halving_doubling_allreduce,
             "all-reduce by recursive halving, then doubling: 2 log2 N exchanges");

}  // namespace
}  // namespace kbsim::collective
