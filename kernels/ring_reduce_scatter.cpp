// Reduce-scatter over a ring: rank i's `out` becomes the combination of part i of all ranks' data.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> ring_reduce_scatter(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  const std::int64_t n = args.n_elem / args.world_size;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, n);
  for (const Window& window : windows(args, n, {.shares = 3})) {  // of each part of the data
    const auto part = [&](int steps) {                            // of the rank `steps` steps before
      return shifted(window.messages(), args.rank_at(ring.before(steps)) * n);
    };
    Prefetch own{tl, data, {}, window.budget, {args.op, ring.size}};
    for (int step = 1; step <= ring.size; ++step) own.append(part(step));
    InFlight in_flight;
    Tiles sums;
    const auto send = [&](const Tile& tile) { in_flight.add(tl.send({.dir = ring.next, .src = tile})); };

    for (const Slice& message : part(1)) {
      const Tile mine = co_await own.load(message);
      ring.size > 1 ? send(mine) : sums.push_back(mine);
    }
    for (int step = 2; step <= ring.size; ++step) {
      co_await in_flight.end_step();
      for (const Slice& message : part(step)) {
        auto arriving = tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
        const Tile mine = co_await own.load(message);
        const Tile theirs = co_await arriving;
        const Tile sum = combine(tl, args.op, theirs, mine);
        step < ring.size ? send(sum) : sums.push_back(sum);
      }
    }
    co_await in_flight.done();
    for (const auto& [message, sum] : paired(window.messages(), sums)) {
      in_flight.add(tl.store(out + message.first, sum));
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(ring_reduce_scatter, "reduce-scatter over a ring, message by message");

}  // namespace
}  // namespace kbsim::collective
