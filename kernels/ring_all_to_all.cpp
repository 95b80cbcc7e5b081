// All-to-all over a ring: part j of rank i's data becomes part i of rank j's `out`.
//
// A part for the rank d places on takes d hops, and goes on with all others that are on their way: in step k
// everybody receives what the rank k places before had for itself and those behind it.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Part nth(int i, std::int64_t n) { return {.first = i * n, .size = n}; }

Task<> ring_all_to_all(TL& tl, CollectiveArgs args) {
  const Ring ring{.position = args.rank, .size = args.world_size};
  const std::int64_t n = args.n_elem / args.world_size;
  const Messages messages = cut({.first = 0, .size = n}, args.slot_elems);
  const Ptr out = own_out(tl, args, args.n_elem);
  const auto under_way = static_cast<std::int64_t>(messages.size()) * (ring.size - 1);
  Sink received{tl, out};
  Begun sent;

  Messages order;  // the own part, then those that travel, the nearest first
  for (int distance = 0; distance < ring.size; ++distance) {
    const Messages part = cut(nth(ring.before(-distance), n), args.slot_elems);
    order.insert(order.end(), part.begin(), part.end());
  }
  Source mine{tl, own_data(tl, args), order};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Tile tile = co_await mine.next();
    if (i < messages.size()) {
      received.put(order[i], tile);
    } else {
      sent.add(tl.send({.dir = ring.next, .src = tile}));
    }
  }
  for (int step = 1; step < ring.size; ++step) {
    for (int behind = 0; behind < ring.size - step; ++behind) {  // me: the rank that a part is for
      for (const Part& message : messages) {
        Tile got = co_await tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = out.dtype});
        if (behind == 0) {
          received.put({ring.before(step) * n + message.first, message.size}, got);
        } else {
          if (under_way > args.free_slots) got = got.to(out.dtype);  // out of its slot
          sent.add(tl.send({.dir = ring.next, .src = got}));
        }
      }
    }
  }
  co_await sent.done();
  co_await received.done();
}
KBSIM_KERNEL(ring_all_to_all, "all-to-all over a ring, message by message");

}  // namespace
}  // namespace kbsim
