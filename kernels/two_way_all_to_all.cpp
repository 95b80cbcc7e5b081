// All-to-all both ways at once, round a ring and along a line: a part takes the shorter way to its rank, and
// the ranks between relay it.
//
// All ranks go through the messages of a part together. In round r a rank sends message r of its own parts,
// those with the longest way first, and relays message r - k d of the parts of the rank k places before it.
// A relayed message was sent d rounds before: long enough ago to be there, so that neither way waits for the
// other one.
#include <algorithm>
#include <array>
#include <deque>
#include <iterator>

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
using Relays = std::vector<Relayed>;

class AllToAll {
 public:
  AllToAll(const CollectiveArgs& args, TwoWays two);

  [[nodiscard]] int rounds() const { return static_cast<int>(messages_.size()) + two_.reach() * delay_; }
  // Rounds from a message's sending to its relaying.
  [[nodiscard]] std::size_t delay() const { return static_cast<std::size_t>(delay_); }
  [[nodiscard]] const Way& way(const Relayed& message) const { return two_.ways[message.way]; }

  // This place's own messages of a round, on both ways in turn; and the one that it keeps, if there is one.
  [[nodiscard]] Relays sent(int round) const;
  [[nodiscard]] Slices kept(int round) const;
  // The messages that come to this place in a round, from both sides in turn.
  [[nodiscard]] Relays received(int round) const;
  // Whether tiles that wait to be sent on may fill all slots.
  [[nodiscard]] bool may_fill_slots(const CollectiveArgs& args) const;

 private:
  [[nodiscard]] Slice of(int place, const Slice& message) const {
    return {message.first + two_.ranks[static_cast<std::size_t>(place)] * n_, message.size};
  }
  [[nodiscard]] Slices message(int number) const {
    const bool there = 0 <= number && number < static_cast<int>(messages_.size());
    return there ? Slices{messages_[static_cast<std::size_t>(number)]} : Slices{};
  }
  // The messages of that number from the place `steps` before: with any hops left, or none.
  [[nodiscard]] Relays from(std::size_t way, int steps, int number) const;

  TwoWays two_;
  std::int64_t n_;  // elements of a part
  Window whole_;    // a part
  Slices messages_;
  int delay_ = 1;
};

// On the busiest link of a line: n / 2 ranks send to n / 2 others.
int parts_on_a_link(int ranks) { return std::max(ranks / 2 * ((ranks + 1) / 2), 1); }

// Messages on each link that cover the time of one to the next rank. It is odd: then the ways have as much to
// do in a round, where each takes every other message for the place opposite.
int delay_for(int ranks) {
  constexpr int kMessages = 8;
  return (kMessages + parts_on_a_link(ranks) - 1) / parts_on_a_link(ranks) | 1;
}

Relays in_turns(const std::array<Relays, 2>& ways) {
  Relays turns;
  for (std::size_t turn = 0; turn < std::max(ways[0].size(), ways[1].size()); ++turn) {
    for (const Relays& way : ways) {
      if (turn < way.size()) turns.push_back(way[turn]);
    }
  }
  return turns;
}

// Messages of both halves in turn, so that each way has as many of the parts for the place opposite.
Slices messages_of(const CollectiveArgs& args, std::int64_t n, std::int64_t held) {
  std::array<Slices, 2> halves;
  for (const Window& window : windows(args, n, {.shares = held})) {
    for (const Slice& message : window.messages()) {
      const std::int64_t half = (n + 1) / 2;
      const std::int64_t first = std::clamp(half - message.first, std::int64_t{0}, message.size);
      if (first > 0) halves[0].push_back({message.first, first});
      if (first < message.size) halves[1].push_back({message.first + first, message.size - first});
    }
  }
  Slices all;
  for (std::size_t i = 0; i < std::max(halves[0].size(), halves[1].size()); ++i) {
    for (const Slices& half : halves) {
      if (i < half.size()) all.push_back(half[i]);
    }
  }
  return all;
}

AllToAll::AllToAll(const CollectiveArgs& args, TwoWays two)
    : two_{std::move(two)},
      n_{args.n_elem / args.world_size},
      whole_{{.first = 0, .size = n_}, {}},
      delay_{delay_for(args.world_size)} {
  // A PE holds the tiles of delay + 2 rounds: those that it sends on both ways, and those that it stores.
  const std::int64_t a_round = 2 * parts_on_a_link(args.world_size) + args.world_size + 1;
  messages_ = messages_of(args, n_, (delay_ + 2) * a_round);
}

Relays AllToAll::from(std::size_t i, int steps, int number) const {
  const Way& way = two_.ways[i];
  const std::optional<int> from = way.ahead(-steps);
  Relays all;
  if (!from) return all;
  for (int hops = way.reach() - steps; hops >= (steps == 0 ? 1 : 0); --hops) {
    const std::optional<int> to = way.ahead(hops);
    if (!to) continue;
    for (const Slice& one : message(number)) {
      if (way.takes(whole_, one, steps + hops))
        all.push_back({.way = i, .hops = hops, .sent = of(*to, one), .stored = of(*from, one)});
    }
  }
  return all;
}

Relays AllToAll::sent(int round) const { return in_turns({from(0, 0, round), from(1, 0, round)}); }

Slices AllToAll::kept(int round) const {
  Slices kept = message(round);
  for (Slice& one : kept) one = of(two_.place(), one);
  return kept;
}

Relays AllToAll::received(int round) const {
  std::array<Relays, 2> ways;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    for (int steps = 1; steps <= two_.reach(); ++steps)
      std::ranges::copy(from(way, steps, round - steps * delay_), std::back_inserter(ways[way]));
  }
  return in_turns(ways);
}

bool AllToAll::may_fill_slots(const CollectiveArgs& args) const {
  const auto relays = static_cast<std::size_t>(parts_on_a_link(args.world_size));
  return collective::may_fill_slots((delay() + 1) * relays, args);
}

Task<> all_to_all_both_ways(TL& tl, CollectiveArgs args, TwoWays two) {
  const AllToAll parts{args, two};
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, args.n_elem);
  const bool copy = parts.may_fill_slots(args);
  Prefetch own{tl, data, {}, budget_of(args)};
  for (int round = 0; round < parts.rounds(); ++round) {
    for (const Relayed& message : parts.sent(round)) own.append({message.sent});
    own.append(parts.kept(round));
  }
  std::deque<InFlight> in_flight;  // by round
  for (int round = 0; round < parts.rounds(); ++round) {
    InFlight& now = in_flight.emplace_back();
    for (const Relayed& message : parts.sent(round)) {
      const Tile tile = co_await own.load(message.sent);
      now.add(tl.send({.dir = parts.way(message).next, .src = tile}));
    }
    for (const Slice& message : parts.kept(round)) {
      const Tile tile = co_await own.load(message);
      now.add(tl.store(out + message.first, tile));
    }
    for (const Relayed& message : parts.received(round)) {
      const Way& way = parts.way(message);
      Tile tile = co_await tl.recv({.dir = way.back, .shape = {message.stored.size}, .dtype = out.dtype});
      const bool goes_on = message.hops > 0;
      if (copy && goes_on) tile = tile.to(out.dtype);
      now.add(goes_on ? tl.send({.dir = way.next, .src = tile}) : tl.store(out + message.stored.first, tile));
    }
    if (in_flight.size() < parts.delay() + 2) continue;
    co_await in_flight.front().done();
    in_flight.pop_front();
  }
  for (InFlight& left : in_flight) co_await left.done();
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
