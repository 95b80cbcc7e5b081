// Reduce-scatter in one step: each rank sends all others their parts, and combines what it gets by itself.
#include "kbsim/kernels/peers.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> one_shot_reduce_scatter(TL& tl, CollectiveArgs args) {
  const int ranks = args.world_size;
  const std::int64_t n = args.n_elem / ranks;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, n);
  // Each part's tiles are sent; those of all ranks and their sum are there for one message.
  for (const Window& window : windows(args, n, {.shares = 2 * std::int64_t{ranks} + 1})) {
    const Slices messages = window.messages();
    const auto part = [n](int rank, const Slice& message) {
      return Slice{message.first + rank * n, message.size};
    };
    Prefetch own{tl, data, {}, window.budget, {args.op, ranks}};
    for (const Slice& message : messages) {
      for (int turn = 0; turn < ranks; ++turn) own.append({part(sent_to(args, turn), message)});
    }
    InFlight in_flight;
    Tiles mine;
    for (std::size_t step = 0; step < messages.size() + kSentAhead; ++step) {
      for (int turn = 0; step < messages.size() && turn < ranks; ++turn) {
        const int rank = sent_to(args, turn);
        const Tile tile = co_await own.load(part(rank, messages[step]));
        turn == 0 ? mine.push_back(tile) : in_flight.add(tl.send({.dir = to_rank(rank), .src = tile}));
      }
      if (step < kSentAhead) continue;
      const Slice& message = messages[step - kSentAhead];
      const Tiles of_ranks = co_await tiles_of_ranks(tl, args, std::exchange(mine[step - kSentAhead], {}),
                                                     message.size, data.dtype);
      in_flight.add(tl.store(out + message.first, combine_in_order(tl, args.op, of_ranks)));
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(one_shot_reduce_scatter, "reduce-scatter in one step: all parts go to their ranks at once");

}  // namespace
}  // namespace kbsim::collective
