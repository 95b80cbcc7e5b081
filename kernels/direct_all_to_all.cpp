// All-to-all by direct messages: each rank sends to all others at once, the next rank first.
#include "kbsim/kernels/peers.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> direct_all_to_all(TL& tl, CollectiveArgs args) {
  const int ranks = args.world_size;
  const std::int64_t n = args.n_elem / ranks;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, args.n_elem);
  // Each part's tiles are sent, and those of another part are stored.
  for (const Window& window : windows(args, n, {.shares = 2 * std::int64_t{ranks}})) {
    const Slices messages = window.messages();
    const auto part = [n](int rank, const Slice& message) {
      return Slice{message.first + rank * n, message.size};
    };
    Prefetch own{tl, data, {}, window.budget};
    for (const Slice& message : messages) {
      for (int turn = 0; turn < ranks; ++turn) own.append({part(sent_to(args, turn), message)});
    }
    InFlight in_flight;
    for (std::size_t step = 0; step < messages.size() + kSentAhead; ++step) {
      for (int turn = 0; step < messages.size() && turn < ranks; ++turn) {
        const int rank = sent_to(args, turn);
        const Slice slice = part(rank, messages[step]);
        const Tile tile = co_await own.load(slice);
        in_flight.add(turn == 0 ? tl.store(out + slice.first, tile)
                                : tl.send({.dir = to_rank(rank), .src = tile}));
      }
      for (int turn = 1; step >= kSentAhead && turn < ranks; ++turn) {
        const int rank = received_from(args, turn);
        const Slice slice = part(rank, messages[step - kSentAhead]);
        const Tile tile = co_await tl.recv({.dir = to_rank(rank), .shape = {slice.size}, .dtype = out.dtype});
        in_flight.add(tl.store(out + slice.first, tile));
      }
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(direct_all_to_all, "all-to-all by direct messages from each rank to each other one");

}  // namespace
}  // namespace kbsim::collective
