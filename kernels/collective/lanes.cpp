#include "kbsim/kernels/lanes.hpp"

#include <algorithm>
#include <ranges>

namespace kbsim::collective {
namespace {

int longest_ring(const Lanes& lanes) {
  return std::ranges::max(lanes | std::views::transform([](const Lane& lane) { return lane.ring.size; }));
}

}  // namespace

bool Lane::may_fill_slots(const CollectiveArgs& args) const {
  const Slices& largest = std::ranges::max(chunks, {}, &Slices::size);
  return collective::may_fill_slots(largest.size(), args);
}

Lane lane_of(const Ring& ring, const Window& window) {
  Lane lane{.ring = ring, .chunks = {}};
  for (int i = 0; i < ring.size; ++i) lane.chunks.push_back(window.share(i, ring.size).messages());
  return lane;
}

std::vector<Prefetch> prefetch(TL& tl, Ptr from, const Lanes& lanes, const TcmBudget& budget,
                               Combination to) {
  std::vector<Prefetch> all;
  for (const Lane& lane : lanes) {
    Prefetch& own = all.emplace_back(tl, from, Slices{}, budget, to);
    for (int steps = 1; steps <= lane.ring.size; ++steps) own.append(lane.chunk(steps));
  }
  return all;
}

Tile take(TileMap& tiles, const Slice& message) { return std::move(tiles.extract(message.first).mapped()); }

std::vector<Turn> in_turns(const Lanes& lanes, int steps) {
  std::size_t most = 0;
  for (const Lane& lane : lanes) most = std::max(most, lane.chunk(steps).size());
  std::vector<Turn> turns;
  for (std::size_t turn = 0; turn < most; ++turn) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const Slices& chunk = lanes[i].chunk(steps);
      if (turn < chunk.size()) turns.push_back({.lane = i, .message = chunk[turn]});
    }
  }
  return turns;
}

Task<> reduce_scatter(TL& tl, Lanes lanes, std::vector<Prefetch>* own, TileMap* sums, CollectiveArgs args) {
  InFlight in_flight;
  for (int step = 1; step <= longest_ring(lanes); ++step) {
    for (const auto& [lane, message] : in_turns(lanes, step)) {
      const Ring& ring = lanes[lane].ring;
      if (step > ring.size) continue;
      Pending<Tile> arriving;
      if (step > 1) arriving = tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = args.data.dtype});
      Tile sum;
      if (own == nullptr) {
        sum = take(*sums, message);
      } else {
        sum = co_await (*own)[lane].load(message);
      }
      const Tile theirs = co_await arriving;  // nothing at first
      if (step > 1) sum = combine(tl, args.op, theirs, sum);
      if (step < ring.size) in_flight.add(tl.send({.dir = ring.next, .src = sum}));
      if (step == ring.size) (*sums)[message.first] = sum;
    }
    co_await in_flight.end_step();
  }
}

Task<> all_gather(TL& tl, Lanes lanes, TileMap* tiles, Gathered gathered, CollectiveArgs args) {
  const Ptr data = own_data(tl, args);
  InFlight in_flight;
  for (int step = 0; step < longest_ring(lanes); ++step) {
    for (const auto& [lane, message] : in_turns(lanes, step)) {
      const Ring& ring = lanes[lane].ring;
      if (step >= ring.size) continue;
      const bool forward = step < ring.size - 1;
      const bool copy = gathered == Gathered::kept || (forward && lanes[lane].may_fill_slots(args));
      Pending<Tile> arriving;
      if (step > 0) arriving = tl.recv({.dir = ring.back, .shape = {message.size}, .dtype = data.dtype});
      const Tile got = co_await arriving;  // nothing at first
      Tile tile = step == 0 ? take(*tiles, message) : got;
      if (step > 0 && copy) tile = got.to(data.dtype);
      if (gathered == Gathered::kept) (*tiles)[message.first] = tile;
      if (gathered == Gathered::stored) in_flight.add(tl.store(data + message.first, tile));
      if (forward) in_flight.add(tl.send({.dir = ring.next, .src = tile}));
    }
    co_await in_flight.end_step();
  }
  co_await in_flight.done();
}

}  // namespace kbsim::collective
