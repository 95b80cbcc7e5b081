// All-gather over a ring: part i of every rank's `out` becomes rank i's data.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> ring_all_gather(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  const std::int64_t n = args.n_elem;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, n * args.world_size);
  for (const Window& window : windows(args, n, {.shares = 3})) {  // of each part of `out`
    const Slices messages = window.messages();
    const bool copy = may_fill_slots(messages.size(), args);
    InFlight in_flight;
    const auto send = [&](const Tile& tile) { in_flight.add(tl.send({.dir = ring.next, .src = tile})); };

    const Tiles own = co_await load_all(tl, data, messages, window.budget);
    const Ptr mine = out + args.rank * n;
    for (const auto& [message, tile] : paired(messages, own)) {
      in_flight.add(tl.store(mine + message.first, tile));
      if (ring.size > 1) send(tile);
    }
    for (int step = 1; step < ring.size; ++step) {
      co_await in_flight.end_step();
      const Ptr part = out + args.rank_at(ring.before(step)) * n;
      for (const Slice& message : messages) {
        const Tile got = co_await tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
        const Tile tile = copy && step < ring.size - 1 ? got.to(data.dtype) : got;
        in_flight.add(tl.store(part + message.first, tile));
        if (step < ring.size - 1) send(tile);
      }
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(ring_all_gather, "all-gather over a ring, message by message");

}  // namespace
}  // namespace kbsim::collective
