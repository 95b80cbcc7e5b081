// Bandwidth-optimal all-reduce over a ring in both directions at once: half of the vector goes each way.
#include "kbsim/kernels/lanes.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> bidirectional_ring_allreduce(TL& tl, CollectiveArgs args) {
  const int n = args.world_size;
  if (n == 1) co_return;
  const Ptr data = own_data(tl, args);
  for (const Window& window : windows(args, args.n_elem, {.shares = 2, .of = n, .vectors = 2})) {
    const Lanes lanes{lane_of(ring_of(args), window.share(0, 2)),
                      lane_of(ring_back(args), window.share(1, 2))};
    std::vector<Prefetch> own = prefetch(tl, data, lanes, window.budget, {args.op, n});
    InFlight in_flight;
    TileMap sums;
    const auto send = [&](Dir to, const Tile& tile) { in_flight.add(tl.send({.dir = to, .src = tile})); };

    // Reduce-scatter: each chunk is added up on its way round, and ends at its place.
    for (int step = 1; step <= n; ++step) {
      for (const auto& [lane, message] : in_turns(lanes, step)) {
        const Ring& ring = lanes[lane].ring;
        Pending<Tile> arriving;
        if (step > 1) arriving = tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
        Tile sum = co_await own[lane].load(message);
        const Tile theirs = co_await arriving;  // nothing at first
        if (step > 1) sum = combine(tl, args.op, theirs, sum);
        if (step < n) send(ring.next, sum);
        if (step == n) sums[message.first] = sum;
      }
      co_await in_flight.end_step();
    }

    // All-gather: the sums go round once more, and each PE stores them.
    for (int step = 0; step < n; ++step) {
      for (const auto& [lane, message] : in_turns(lanes, step)) {
        const Ring& ring = lanes[lane].ring;
        Pending<Tile> arriving;
        if (step > 0) arriving = tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
        const Tile got = co_await arriving;  // nothing at first
        Tile sum = step == 0 ? take(sums, message) : got;
        if (0 < step && step < n - 1 && lanes[lane].may_fill_slots(args)) sum = got.to(data.dtype);
        in_flight.add(tl.store(data + message.first, sum));
        if (step < n - 1) send(ring.next, sum);
      }
      co_await in_flight.end_step();
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(bidirectional_ring_allreduce,
             "all-reduce over a ring, half of the vector in each direction, message by message");

}  // namespace
}  // namespace kbsim::collective
