// Broadcast along a ring: from the root to the next and on, message by message, until all ranks have it.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> ring_broadcast(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  const int hops = ring.before(args.place_of(args.root));  // from the root
  const Ptr data = own_data(tl, args);
  for (const Window& window : windows(args, args.n_elem, {.shares = 2})) {
    const Slices messages = window.messages();
    Prefetch own{tl, data, messages, window.budget};
    InFlight in_flight;
    for (const Slice& message : messages) {
      Tile tile;
      if (hops == 0) {
        tile = co_await own.load(message);
      } else {
        tile = co_await tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
      }
      if (hops < ring.size - 1) in_flight.add(tl.send({.dir = ring.next, .src = tile}));
      in_flight.add(tl.store(data + message.first, tile));
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(ring_broadcast, "broadcast from `root` along a ring, message by message");

}  // namespace
}  // namespace kbsim::collective
