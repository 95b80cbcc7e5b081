#include "kbsim/kernels/two_ways.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kbsim::collective {
namespace {

TwoWays two_ways(const CollectiveArgs& args, std::vector<int> ranks, Ends ends) {
  const auto place = static_cast<int>(std::ranges::find(ranks, args.rank) - ranks.begin());
  const int size = args.world_size;
  return {.ways = {Way{place, size, 1, ends, Dir::E, Dir::W}, Way{place, size, -1, ends, Dir::W, Dir::E}},
          .ranks = std::move(ranks)};
}

}  // namespace

std::optional<int> Way::ahead(int distance) const {
  const int there = place + step * distance;
  if (ends == Ends::joined) return ((there % size) + size) % size;
  return 0 <= there && there < size ? std::optional{there} : std::nullopt;
}

bool Way::takes(const Window& part, const Slice& message, int distance) const {
  if (distance > reach()) return false;
  if (!has_opposite() || distance < reach()) return true;
  return (step == 1) == (message.first < part.share(1, 2).first);
}

Slices TwoWays::messages(const Window& part) const {
  if (!ways[0].has_opposite()) return part.messages();
  Slices all = part.share(0, 2).messages();
  const Slices second = part.share(1, 2).messages();
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

std::vector<Window> TwoWays::parts(const Window& window, std::int64_t n) const {
  std::vector<Window> all;
  for (const int rank : ranks) all.push_back({{window.first + rank * n, window.size}, window.budget});
  return all;
}

TwoWays both_ways_round(const CollectiveArgs& args) {
  std::vector<int> ranks;
  for (int place = 0; place < args.world_size; ++place) ranks.push_back(args.rank_at(place));
  return two_ways(args, std::move(ranks), Ends::joined);
}

TwoWays both_ways_along(const CollectiveArgs& args) { return two_ways(args, args.line(), Ends::open); }

std::vector<WayTurn> in_turns(const TwoWays& two, const std::vector<Window>& parts, int distance) {
  std::array<std::vector<WayTurn>, 2> each;
  for (std::size_t i = 0; i < two.ways.size(); ++i) {
    const Way& way = two.ways[i];
    const std::optional<int> place = way.ahead(distance);
    if (!place) continue;
    const auto part = static_cast<std::size_t>(*place);
    for (const Slice& message : two.messages(parts[part])) {
      if (way.takes(parts[part], message, std::abs(distance))) each[i].push_back({i, part, message});
    }
  }
  return alternating(each);
}

Task<TileMap> scatter_both_ways(TL& tl, TwoWays two, std::vector<Window> parts, Ptr from,
                                std::optional<Ptr> to, CollectiveArgs args, WorkerSpec worker) {
  const Window& mine = parts[static_cast<std::size_t>(two.place())];
  const Combination all{args.op, args.world_size};
  std::vector<Prefetch> own;
  for (std::size_t way = 0; way < two.ways.size(); ++way)
    own.emplace_back(tl, from, Slices{}, worker.limited(mine.budget), all);
  for (int distance = two.reach(); distance > 0; --distance) {
    for (const auto& [way, part, message] : in_turns(two, parts, distance)) own[way].append({message});
  }
  own[0].append(two.messages(mine));

  InFlight in_flight;
  for (int distance = two.reach(); distance > 0; --distance) {
    for (const auto& [i, part, message] : in_turns(two, parts, distance)) {
      const Way& way = two.ways[i];
      const bool arrives = way.receives(parts[part], message, distance + 1);
      Pending<Tile> arriving;
      if (arrives) arriving = tl.recv({.dir = way.back, .shape = {message.size}, .dtype = from.dtype});
      Tile sum = co_await own[i].load(message);
      const Tile theirs = co_await arriving;  // nothing where the sum begins
      if (arrives) sum = combine(tl, args.op, theirs, sum);
      in_flight.add(tl.send({.dir = way.next, .src = sum}));
      worker.handled(tl);
    }
    co_await in_flight.end_step();
  }
  TileMap sums;
  for (const Slice& message : two.messages(mine)) {
    Tile sum = co_await own[0].load(message);
    for (const Way& way : two.ways) {
      if (!way.receives(mine, message, 1)) continue;
      const Tile theirs = co_await tl.recv({.dir = way.back, .shape = {message.size}, .dtype = from.dtype});
      sum = combine(tl, args.op, theirs, sum);
    }
    if (to && worker.serial) {
      co_await tl.store(*to + message.first, sum);
    } else if (to) {
      in_flight.add(tl.store(*to + message.first, sum));
    } else {
      sums[message.first] = sum;
    }
    worker.handled(tl);
  }
  co_await in_flight.done();
  co_return sums;
}

Task<> gather_both_ways(TL& tl, TwoWays two, std::vector<Window> parts, TileMap sums, Ptr to,
                        CollectiveArgs args) {
  const Window& mine = parts[static_cast<std::size_t>(two.place())];
  const bool copy = may_fill_slots(two.messages(parts.front()).size(), args);
  InFlight in_flight;
  for (const Slice& message : two.messages(mine)) {
    const Tile tile = take(sums, message);
    in_flight.add(tl.store(to + message.first, tile));
    for (const Way& way : two.ways) {
      if (way.sends(mine, message, 1)) in_flight.add(tl.send({.dir = way.next, .src = tile}));
    }
  }
  for (int distance = 1; distance <= two.reach(); ++distance) {
    co_await in_flight.end_step();
    for (const auto& [i, part, message] : in_turns(two, parts, -distance)) {
      const Way& way = two.ways[i];
      const bool goes_on = way.sends(parts[part], message, distance + 1);
      const Tile got = co_await tl.recv({.dir = way.back, .shape = {message.size}, .dtype = to.dtype});
      const Tile tile = copy && goes_on ? got.to(to.dtype) : got;
      in_flight.add(tl.store(to + message.first, tile));
      if (goes_on) in_flight.add(tl.send({.dir = way.next, .src = tile}));
    }
  }
  co_await in_flight.done();
}

}  // namespace kbsim::collective
