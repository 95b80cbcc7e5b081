// All-reduce by recursive doubling: log2 N exchanges of the whole vector, with the ranks 1, 2, 4, ... away.
#include "kbsim/kernels/doubling.hpp"
#include "kbsim/kernels/prefetch.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> doubling_allreduce(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  const Doubling doubling = doubling_of(args);
  const std::optional<int> beside = doubling.beside();
  const Ptr data = own_data(tl, args);
  // A PE holds, per message, the sum so far, the one that is sent and the next one.
  for (const Window& window : windows(args, args.n_elem, {.shares = 3})) {
    const Slices messages = window.messages();
    Tiles sums = co_await load_all(tl, data, messages, window.budget, {args.op, args.world_size});
    if (doubling.beyond()) {
      sums = co_await exchange_with(tl, *beside, sums, *beside, messages, data.dtype);
      co_await store_all(tl, data, messages, sums);
      continue;
    }
    if (beside) sums = co_await combine_with(tl, args, *beside, {}, sums);
    for (int distance = 1; distance < doubling.size; distance *= 2)
      sums = co_await combine_with(tl, args, args.rank ^ distance, sums, sums);
    if (beside) co_await exchange_with(tl, *beside, sums, *beside, {}, data.dtype);
    co_await store_all(tl, data, messages, sums);
  }
}
KBSIM_KERNEL(doubling_allreduce, "all-reduce by recursive doubling: log2 N exchanges of whole vectors");

}  // namespace
}  // namespace kbsim::collective
