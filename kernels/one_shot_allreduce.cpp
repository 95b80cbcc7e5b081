// All-reduce in one step: each rank sends its vector to all others, and combines all vectors by itself.
#include "kbsim/kernels/peers.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> one_shot_allreduce(TL& tl, CollectiveArgs args) {
  const int ranks = args.world_size;
  if (ranks == 1) co_return;
  const Ptr data = own_data(tl, args);
  // The own tiles are sent; those of all ranks and their sum are there for one message.
  for (const Window& window : windows(args, args.n_elem, {.shares = std::int64_t{ranks} + 2})) {
    const Slices messages = window.messages();
    Prefetch own{tl, data, messages, window.budget, {args.op, ranks}};
    InFlight in_flight;
    Tiles mine;
    for (std::size_t step = 0; step < messages.size() + kSentAhead; ++step) {
      if (step < messages.size()) {
        const Tile tile = co_await own.load(messages[step]);
        for (int turn = 1; turn < ranks; ++turn)
          in_flight.add(tl.send({.dir = to_rank(sent_to(args, turn)), .src = tile}));
        mine.push_back(tile);
      }
      if (step < kSentAhead) continue;
      const Slice& message = messages[step - kSentAhead];
      const Tiles of_ranks = co_await tiles_of_ranks(tl, args, std::exchange(mine[step - kSentAhead], {}),
                                                     message.size, data.dtype);
      in_flight.add(tl.store(data + message.first, combine_in_order(tl, args.op, of_ranks)));
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(one_shot_allreduce, "all-reduce in one step: each rank sends its vector to all others");

}  // namespace
}  // namespace kbsim::collective
