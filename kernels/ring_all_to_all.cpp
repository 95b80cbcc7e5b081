// All-to-all over a ring: part j of rank i's data becomes part i of rank j's `out`.
//
// A part for the rank d places on takes d hops, and goes on with all others that are on their way: in step k
// everybody receives what the rank k places before had for itself and those behind it.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Part shifted(const Part& message, std::int64_t by) {
  return {.first = message.first + by, .size = message.size};
}

// A window of each part: all PEs have the same, so that everybody's messages are alike.
class Exchange {
 public:
  Exchange(TL& tl, const CollectiveArgs& args, Part window, const Room& room)
      : tl_{tl},
        args_{args},
        ring_{ring_of(args)},
        part_{args.n_elem / args.world_size},
        messages_{cut(window, room.message)},
        out_{own_out(tl, args, args.n_elem)},
        copied_{static_cast<std::int64_t>(messages_.size()) * (ring_.size - 1) > args.free_slots},
        mine_{tl, own_data(tl, args), own(), room},
        received_{tl, out_} {}

  Task<> run();

 private:
  // Where the part for, or of, a position begins.
  [[nodiscard]] std::int64_t start_of(int position) const { return args_.rank_at(position) * part_; }
  [[nodiscard]] Messages own() const;
  Task<> open();
  Task<> take(int step);
  Task<> end_step();

  TL& tl_;
  const CollectiveArgs args_;
  const Ring ring_;
  const std::int64_t part_;  // elements
  const Messages messages_;
  const Ptr out_;
  const bool copied_;  // tiles leave their slots before they are sent on
  Source mine_;
  Sink received_;
  Begun sent_;
};

// The own part, then those that travel, the nearest first.
Messages Exchange::own() const {
  Messages order;
  for (int distance = 0; distance < ring_.size; ++distance) {
    const std::int64_t start = start_of(ring_.before(-distance));
    for (const Part& message : messages_) order.push_back(shifted(message, start));
  }
  return order;
}

Task<> Exchange::run() {
  co_await open();
  co_await end_step();
  for (int step = 1; step < ring_.size; ++step) {
    co_await take(step);
    co_await end_step();
  }
  co_await sent_.done();
  co_await received_.done();
}

Task<> Exchange::open() {
  const std::int64_t start = start_of(ring_.position);
  for (const Part& message : messages_) {
    const Tile tile = co_await mine_.next();
    received_.put(shifted(message, start), tile);
  }
  const std::size_t travel = messages_.size() * static_cast<std::size_t>(ring_.size - 1);
  for (std::size_t i = 0; i < travel; ++i) {
    const Tile tile = co_await mine_.next();
    sent_.add(tl_.send({.dir = ring_.next, .src = tile}));
  }
}

Task<> Exchange::take(int step) {
  const std::int64_t start = start_of(ring_.before(step));
  for (int behind = 0; behind < ring_.size - step; ++behind) {  // me: the rank that a part is for
    for (const Part& message : messages_) {
      Tile got = co_await tl_.recv({.dir = ring_.back, .shape = {message.size}, .dtype = out_.dtype});
      if (behind == 0) {
        received_.put(shifted(message, start), got);
      } else {
        if (copied_) got = got.to(out_.dtype);
        sent_.add(tl_.send({.dir = ring_.next, .src = got}));
      }
    }
  }
}

// Nobody has more than what two steps sent, as in the other rings.
Task<> Exchange::end_step() {
  co_await sent_.step();
  co_await received_.step();
}

Task<> ring_all_to_all(TL& tl, CollectiveArgs args) {
  const Room room = room_of(args);
  const Part part{.first = 0, .size = args.n_elem / args.world_size};
  // Of each part, what two steps sent and what one stores.
  for (const Part& window : cut(part, room.window(3 * std::int64_t{args.world_size}))) {
    Exchange exchange{tl, args, window, room};
    co_await exchange.run();
  }
}
KBSIM_KERNEL(ring_all_to_all, "all-to-all over a ring, message by message");

}  // namespace
}  // namespace kbsim
