// Bandwidth-optimal all-reduce over a ring whose steps overlap: each message is sent on when it arrives.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> pipelined_ring_allreduce(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  if (ring.size == 1) co_return;
  const Ptr data = own_data(tl, args);
  for (const Window& window : windows(args, args.n_elem, {.shares = 2, .of = ring.size})) {
    Prefetch own{tl, data, ring.scatter_order(window), window.budget, {args.op, ring.size}};
    InFlight in_flight;
    Tiles sums;
    const bool copy = may_fill_slots(window.share(0, ring.size).messages().size(), args);
    const auto send = [&](const Tile& tile) { in_flight.add(tl.send({.dir = ring.next, .src = tile})); };

    // Reduce-scatter: each chunk is added up on its way round, and ends at its place.
    for (const Slice& message : ring.chunk(window, 1)) {
      const Tile mine = co_await own.load(message);
      send(mine);
    }
    for (int step = 2; step <= ring.size; ++step) {
      co_await in_flight.end_step();
      for (const Slice& message : ring.chunk(window, step)) {
        auto arriving = tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
        const Tile mine = co_await own.load(message);
        const Tile theirs = co_await arriving;
        const Tile sum = combine(tl, args.op, theirs, mine);
        step < ring.size ? send(sum) : sums.push_back(sum);
      }
    }
    co_await in_flight.done();

    // All-gather: the sums go round once more, and each PE stores them.
    for (const auto& [message, sum] : paired(ring.chunk(window, 0), std::move(sums))) {
      in_flight.add(tl.store(data + message.first, sum));
      send(sum);
    }
    for (int step = 1; step < ring.size; ++step) {
      co_await in_flight.end_step();
      for (const Slice& message : ring.chunk(window, step)) {
        const Tile got = co_await tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
        const Tile sum = copy && step < ring.size - 1 ? got.to(data.dtype) : got;
        in_flight.add(tl.store(data + message.first, sum));
        if (step < ring.size - 1) send(sum);
      }
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(pipelined_ring_allreduce,
             "all-reduce over a ring: reduce-scatter and all-gather, message by message");

}  // namespace
}  // namespace kbsim::collective
