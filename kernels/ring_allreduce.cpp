// All-reduce over a ring: each rank forwards the vectors it receives until it has those of all ranks.
//
// world_size - 1 rounds of the whole vector: the fewest steps, and so the best for small vectors.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {

Task<Tiles> exchange(TL& tl, Ring ring, Tiles mine, Reduction op) {
  std::vector<Tiles> of(static_cast<std::size_t>(ring.size));  // by place
  of[ring.position] = mine;
  for (int step = 1; step < ring.size; ++step) {
    InFlight in_flight;
    for (const Tile& tile : of[ring.before(step - 1)]) {
      in_flight.add(tl.send({.dir = ring.next, .src = tile}));
    }
    for (const Tile& like : mine) {
      const Tile theirs = co_await tl.recv({.dir = ring.back, .shape = like.shape(), .dtype = like.dtype()});
      of[ring.before(step)].push_back(theirs.to(like.dtype()));  // out of its slot
    }
    co_await in_flight.done();
  }
  Tiles sums = std::move(of[0]);
  for (int place = 1; place < ring.size; ++place) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = combine(tl, op, sums[i], of[place][i]);
  }
  co_return sums;
}

namespace {

Task<> ring_allreduce(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  const Ptr data = own_data(tl, args);
  // A PE holds, per message, one tile of each rank and the sum.
  for (const Window& window : windows(args, args.n_elem, {.shares = ring.size + 1})) {
    const Slices messages = window.messages();
    Tiles tiles = co_await load_all(tl, data, messages, window.budget, {args.op, ring.size});
    tiles = co_await exchange(tl, ring, tiles, args.op);
    co_await store_all(tl, data, messages, tiles);
  }
}
KBSIM_KERNEL(ring_allreduce, "all-reduce over a ring: world_size - 1 rounds of whole vectors");

}  // namespace
}  // namespace kbsim::collective
