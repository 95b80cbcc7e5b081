// Reduce along a ring: from the one after the root on, message by message, until the root has all.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> ring_reduce(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  if (ring.size == 1) co_return;
  const int hops = ring.before(args.place_of(args.root));  // from the root
  const Ptr data = own_data(tl, args);
  for (const Window& window : windows(args, args.n_elem, {.shares = 2})) {
    const Slices messages = window.messages();
    Prefetch own{tl, data, messages, window.budget, {args.op, ring.size}};
    InFlight in_flight;
    Tiles sums;
    for (const Slice& message : messages) {
      Tile sum = co_await own.load(message);
      if (hops != 1) {
        const Tile theirs =
            co_await tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
        sum = combine(tl, args.op, sum, theirs);
      }
      if (hops == 0) {
        sums.push_back(sum);
      } else {
        in_flight.add(tl.send({.dir = ring.next, .src = sum}));
      }
    }
    co_await in_flight.done();
    if (hops == 0) co_await store_all(tl, data, messages, sums);
  }
}
KBSIM_KERNEL(ring_reduce, "reduce to `root` along a ring, message by message");

}  // namespace
}  // namespace kbsim::collective
