#include "kbsim/kernels/relays.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include <fmt/format.h>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/prefetch.hpp"

namespace kbsim::collective {
namespace {

// On the busiest link of a line: n / 2 ranks send to n / 2 others, or all but one to the last.
int parts_on_a_link(Spread spread, const TwoWays& two) {
  const auto ranks = static_cast<int>(two.ranks.size());
  const int parts = spread == Spread::each_to_all ? two.reach() : ranks / 2 * ((ranks + 1) / 2);
  return std::max(parts, 1);
}

// Messages on each link that cover the time of one to the next rank. It is odd: then the ways have as much to
// do in a round, where each takes every other message for the place opposite. A round of serial messages
// takes about that time.
int delay_for(int parts, bool serial_relays) {
  constexpr int kMessages = 8;
  return serial_relays ? 1 : (kMessages + parts - 1) / parts | 1;
}

// Messages of at most `most` elements, those of the halves of n in turn, or of the whole.
Slices messages_of(std::int64_t n, std::int64_t most, bool in_halves) {
  const Slices all = cut({.first = 0, .size = n}, most);
  if (!in_halves) return all;
  std::array<Slices, 2> halves;
  const std::int64_t half = (n + 1) / 2;
  for (const Slice& message : all) {
    const std::int64_t first = std::clamp(half - message.first, std::int64_t{0}, message.size);
    if (first > 0) halves[0].push_back({message.first, first});
    if (first < message.size) halves[1].push_back({message.first + first, message.size - first});
  }
  return alternating(halves);
}

}  // namespace

std::vector<Share> RelaySpec::shares(TL& tl, const CollectiveArgs& args) const {
  if (!per_way) return {Share{}};
  if (args.pes % 2 != 0)
    throw UsageError{fmt::format(
        "per_way: true needs an even number of PEs a cube, as two serve a part; it has {}", args.pes)};
  const bool east = tl.program_id(0) % 2 == 0;
  const std::array<bool, 2> ways = {east, !east};
  return {{.part = 0, .ways = ways, .keeps = true}, {.part = east ? 1 : -1, .ways = ways, .keeps = false}};
}

Relays::Relays(const CollectiveArgs& args, TwoWays two, Spread spread, std::int64_t n, const Share& share)
    : two_{std::move(two)},
      spread_{spread},
      n_{n},
      whole_{{.first = 0, .size = n_}, {}},
      share_{share},
      worker_{WorkerSpec::of<RelaySpec>(args)} {
  const int parts = parts_on_a_link(spread, two_);
  delay_ = delay_for(parts, worker_.serial && two_.reach() > 1);
  // A PE holds the tiles of delay + 2 rounds: those that it sends on both ways, and those that it stores.
  const std::int64_t ways = std::ranges::count(share_.ways, true);
  const std::int64_t a_round = ways * parts + args.world_size + 1;
  const std::vector<Window> windows = collective::windows(args, n_, {.shares = (delay_ + 2) * a_round});
  const std::int64_t message = budget_of(args).message;
  const bool all_at_once = windows.size() <= 1;
  // In halves each way has as many of the messages for the place opposite.
  const bool in_halves = spread == Spread::each_to_its_own || two_.ways[0].has_opposite();
  messages_ = messages_of(n_, all_at_once ? message : std::min(message, windows.front().size), in_halves);
  if (worker_.serial && may_fill_slots(args))
    throw UsageError{
        fmt::format("serial: true needs {} slots of a queue here (n_slots): a PE that waits until a "
                    "message has left doesn't receive meanwhile",
                    (delay_ + 1) * parts + 1)};
}

Slices Relays::message(int number) const {
  const bool there = 0 <= number && number < static_cast<int>(messages_.size());
  return there ? Slices{messages_[static_cast<std::size_t>(number)]} : Slices{};
}

std::vector<Relays::Step> Relays::from(std::size_t i, int steps, int number) const {
  const Way& way = two_.ways[i];
  const std::optional<int> from = way.ahead(-steps);
  std::vector<Step> all;
  if (!from || !share_.ways[i]) return all;
  for (int hops = way.reach() - steps; hops >= (steps == 0 ? 1 : 0); --hops) {
    const std::optional<int> to = way.ahead(hops);
    if (!to) continue;
    for (const Slice& one : message(number)) {
      if (!way.takes(whole_, one, steps + hops)) continue;
      const Slice data = spread_ == Spread::each_to_its_own ? of(*to, one) : one;
      all.push_back({.way = i, .data = data, .out = of(*from, one), .hops = hops});
    }
    if (spread_ == Spread::each_to_all && !all.empty()) break;  // the ranks before that one get it as well
  }
  return all;
}

std::vector<Relays::Own> Relays::own(int round) const {
  const std::vector<Step> steps = alternating(std::array{from(0, 0, round), from(1, 0, round)});
  std::vector<Own> all;
  if (spread_ == Spread::each_to_its_own) {
    for (const Step& step : steps) all.push_back({.data = step.data, .ways = {step.way}, .out = {}});
  }
  for (const Slice& one : message(round)) {
    const bool all_alike = spread_ == Spread::each_to_all;
    Own kept{.data = all_alike ? one : of(two_.place(), one), .ways = {}, .out = {}};
    if (share_.keeps) kept.out = of(two_.place(), one);
    for (const Step& step : steps) {
      if (all_alike) kept.ways.push_back(step.way);
    }
    if (kept.out || !kept.ways.empty()) all.push_back(kept);
  }
  return all;
}

std::vector<Relays::Arriving> Relays::arriving(int round) const {
  std::array<std::vector<Arriving>, 2> ways;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    for (int steps = 1; steps <= two_.reach(); ++steps) {
      for (const Step& step : from(way, steps, round - steps * delay_)) {
        const bool goes_on = step.hops > 0;
        const bool kept = !goes_on || spread_ == Spread::each_to_all;
        ways[way].push_back({.way = way, .out = step.out, .goes_on = goes_on, .kept = kept});
      }
    }
  }
  return alternating(ways);
}

bool Relays::may_fill_slots(const CollectiveArgs& args) const {
  const auto relays = static_cast<std::size_t>(parts_on_a_link(spread_, two_));
  return collective::may_fill_slots((delay() + 1) * relays, args);
}

namespace {

Task<> relay_share(TL& tl, CollectiveArgs args, Relays relays, Ptr data, Ptr out) {
  const RelaySpec& worker = relays.worker();
  const bool copy = relays.may_fill_slots(args);
  Prefetch own{tl, data, {}, worker.limited(budget_of(args))};
  for (int round = 0; round < relays.rounds(); ++round) {
    for (const Relays::Own& message : relays.own(round)) {
      if (!message.ways.empty()) own.append({message.data});
    }
  }
  std::deque<InFlight> in_flight;  // by round
  for (int round = 0; round < relays.rounds(); ++round) {
    InFlight& now = in_flight.emplace_back();
    for (const Relays::Own& message : relays.own(round)) {
      if (message.ways.empty()) {
        now.add(tl.copy(out + message.out->first, data + message.data.first, {message.data.size}));
        continue;
      }
      const Tile tile = co_await own.load(message.data);
      if (message.out) now.add(tl.store(out + message.out->first, tile));
      for (const std::size_t way : message.ways) {
        Pending<void> send = tl.send({.dir = relays.way(way).next, .src = tile});
        if (worker.serial) co_await send;
        if (!worker.serial) now.add(std::move(send));
      }
      worker.handled(tl);
    }
    if (worker.serial) own.start();
    for (const Relays::Arriving& message : relays.arriving(round)) {
      const Way& way = relays.way(message.way);
      Tile tile = co_await tl.recv({.dir = way.back, .shape = {message.out.size}, .dtype = out.dtype});
      if (copy && message.goes_on) tile = tile.to(out.dtype);
      if (message.kept) now.add(tl.store(out + message.out.first, tile));
      if (message.goes_on) now.add(tl.send({.dir = way.next, .src = tile}));
    }
    if (in_flight.size() < relays.delay() + 2) continue;
    co_await in_flight.front().done();
    in_flight.pop_front();
  }
  for (InFlight& left : in_flight) co_await left.done();
}

}  // namespace

Task<> relay_both_ways(TL& tl, CollectiveArgs args, TwoWays two, Spread spread, std::int64_t n) {
  const std::int64_t out_elems = n * args.world_size;
  for (const Share& share : WorkerSpec::of<RelaySpec>(args).shares(tl, args)) {
    co_await relay_share(tl, args, Relays{args, two, spread, n, share},
                         own_data(tl, args) + share.part * args.n_elem,
                         own_out(tl, args, out_elems) + share.part * out_elems);
  }
}

}  // namespace kbsim::collective
