// All-gather in one step: each rank sends its part to all others at once.
#include "kbsim/kernels/peers.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> one_shot_all_gather(TL& tl, CollectiveArgs args) {
  const int ranks = args.world_size;
  const std::int64_t n = args.n_elem;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, n * ranks);
  // The own part's tiles are sent, and those of each other part are stored.
  for (const Window& window : windows(args, n, {.shares = std::int64_t{ranks} + 1})) {
    const Slices messages = window.messages();
    Prefetch own{tl, data, messages, window.budget};
    InFlight in_flight;
    for (std::size_t step = 0; step < messages.size() + kSentAhead; ++step) {
      if (step < messages.size()) {
        const Tile tile = co_await own.load(messages[step]);
        for (int turn = 1; turn < ranks; ++turn)
          in_flight.add(tl.send({.dir = to_rank(sent_to(args, turn)), .src = tile}));
        in_flight.add(tl.store(out + (args.rank * n + messages[step].first), tile));
      }
      for (int turn = 1; step >= kSentAhead && turn < ranks; ++turn) {
        const int rank = received_from(args, turn);
        const Slice& message = messages[step - kSentAhead];
        const Tile tile =
            co_await tl.recv({.dir = to_rank(rank), .shape = {message.size}, .dtype = out.dtype});
        in_flight.add(tl.store(out + (rank * n + message.first), tile));
      }
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(one_shot_all_gather, "all-gather in one step: each rank sends its part to all others");

}  // namespace
}  // namespace kbsim::collective
