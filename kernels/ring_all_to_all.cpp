// All-to-all over a ring: part j of rank i's data becomes part i of rank j's `out`.
//
// A part for the rank d places ahead takes d hops, together with all other parts in flight. In step k each
// rank receives the parts of the rank k places before it that are for itself and for the ranks after it.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> ring_all_to_all(TL& tl, CollectiveArgs args) {
  const Ring ring = ring_of(args);
  const std::int64_t n = args.n_elem / args.world_size;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, args.n_elem);
  // A PE holds, per part, the tiles that two steps send and the tiles that one step stores.
  for (const Window& window : windows(args, n, {.shares = 3 * std::int64_t{args.world_size}})) {
    const Slices messages = window.messages();
    const bool copy = may_fill_slots(messages.size() * (args.world_size - 1), args);
    // First element of the part for, or of, the rank `steps` steps before.
    const auto part = [&](int steps) { return args.rank_at(ring.before(steps)) * n; };
    Prefetch own{tl, data, {}, window.budget};
    for (int hops = 0; hops < ring.size; ++hops) own.append(shifted(messages, part(-hops)));
    InFlight in_flight;
    const auto send = [&](const Tile& tile) { in_flight.add(tl.send({.dir = ring.next, .src = tile})); };

    for (const Slice& message : shifted(messages, part(0))) {
      const Tile tile = co_await own.load(message);
      in_flight.add(tl.store(out + message.first, tile));
    }
    for (int hops = 1; hops < ring.size; ++hops) {
      for (const Slice& message : shifted(messages, part(-hops))) {
        const Tile tile = co_await own.load(message);
        send(tile);
      }
    }
    for (int step = 1; step < ring.size; ++step) {
      co_await in_flight.end_step();
      for (int hops = 0; hops < ring.size - step; ++hops) {  // hops left for a part
        for (const Slice& message : shifted(messages, part(step))) {
          Tile tile = co_await tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = out.dtype});
          if (copy && hops > 0) tile = tile.to(out.dtype);
          if (hops > 0) send(tile);
          if (hops == 0) in_flight.add(tl.store(out + message.first, tile));
        }
      }
    }
    co_await in_flight.done();
  }
}
KBSIM_KERNEL(ring_all_to_all, "all-to-all over a ring, message by message");

}  // namespace
}  // namespace kbsim::collective
