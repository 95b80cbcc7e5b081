// All-to-all both ways at once, round a ring and along a line: a part takes the shorter way to its rank, and
// the ranks between relay it.
//
// In step k each rank receives, on each way, the parts of the rank k places before it that are for itself and
// for the ranks after it, the furthest ones first.
#include "kbsim/kernels/two_ways.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

// A message on one of the ways, of the part that one place has for another.
struct Relayed {
  std::size_t way;
  int hops;      // that are left
  Slice sent;    // in the sender's data
  Slice stored;  // in the receiver's output
};

struct AllToAll {
  TwoWays two;
  Window window;   // of each part
  std::int64_t n;  // elements of a part

  [[nodiscard]] Slice of(int place, const Slice& message) const {
    return {message.first + two.ranks[static_cast<std::size_t>(place)] * n, message.size};
  }
  // All messages of the places `steps` before that still have `hops` hops to go, at most.
  [[nodiscard]] std::vector<Relayed> on(std::size_t way, int steps) const;
  // Those of both ways, in turns.
  [[nodiscard]] std::vector<Relayed> at(int steps) const;
};

std::vector<Relayed> AllToAll::on(std::size_t i, int steps) const {
  const Way& way = two.ways[i];
  std::vector<Relayed> all;
  const std::optional<int> from = way.ahead(-steps);
  for (int hops = from ? way.reach() - steps : -1; hops >= (steps == 0 ? 1 : 0); --hops) {
    const std::optional<int> to = way.ahead(hops);
    if (!to) continue;
    for (const Slice& message : two.messages(window)) {
      if (way.takes(window, message, steps + hops))
        all.push_back({.way = i, .hops = hops, .sent = of(*to, message), .stored = of(*from, message)});
    }
  }
  return all;
}

std::vector<Relayed> AllToAll::at(int steps) const {
  const std::vector<Relayed> east = on(0, steps);
  const std::vector<Relayed> west = on(1, steps);
  std::vector<Relayed> turns;
  for (std::size_t turn = 0; turn < std::max(east.size(), west.size()); ++turn) {
    if (turn < east.size()) turns.push_back(east[turn]);
    if (turn < west.size()) turns.push_back(west[turn]);
  }
  return turns;
}

Task<> all_to_all_both_ways(TL& tl, CollectiveArgs args, TwoWays two) {
  const std::int64_t n = args.n_elem / args.world_size;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, args.n_elem);
  // A PE holds, per part, the tiles that two steps send and the tiles that one step stores.
  for (const Window& window : windows(args, n, {.shares = 3 * (std::int64_t{args.world_size} + 1)})) {
    const AllToAll parts{two, window, n};
    const Slices kept = two.messages(parts.two.parts(window, n)[static_cast<std::size_t>(two.place())]);
    const bool copy = may_fill_slots(two.messages(window).size() * (args.world_size - 1), args);
    Prefetch own{tl, data, {}, window.budget};
    for (const Relayed& message : parts.at(0)) own.append({message.sent});
    own.append(kept);
    InFlight in_flight;
    const auto send = [&](std::size_t way, const Tile& tile) {
      in_flight.add(tl.send({.dir = two.ways[way].next, .src = tile}));
    };

    for (const Relayed& message : parts.at(0)) {
      const Tile tile = co_await own.load(message.sent);
      send(message.way, tile);
    }
    for (const Slice& message : kept) {
      const Tile tile = co_await own.load(message);
      in_flight.add(tl.store(out + message.first, tile));
    }
    for (int step = 1; step <= two.reach(); ++step) {
      co_await in_flight.end_step();
      for (const auto& [way, hops, sent, stored] : parts.at(step)) {
        Tile tile = co_await tl.recv({.dir = two.ways[way].back, .shape = {sent.size}, .dtype = out.dtype});
        if (copy && hops > 0) tile = tile.to(out.dtype);
        if (hops > 0) send(way, tile);
        if (hops == 0) in_flight.add(tl.store(out + stored.first, tile));
      }
    }
    co_await in_flight.done();
  }
}

Task<> two_way_ring_all_to_all(TL& tl, CollectiveArgs args) {
  co_await all_to_all_both_ways(tl, args, both_ways_round(args));
}
KBSIM_KERNEL(two_way_ring_all_to_all, "all-to-all both ways round a ring, each part by the shorter way");

Task<> line_all_to_all(TL& tl, CollectiveArgs args) {
  co_await all_to_all_both_ways(tl, args, both_ways_along(args));
}
KBSIM_KERNEL(line_all_to_all, "all-to-all along a line: parts are relayed through the ranks between");

}  // namespace
}  // namespace kbsim::collective
