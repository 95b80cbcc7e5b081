// Boxes of tensors between all pairs of ranks: a change of sharding sends, receives, copies and combines
// them.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/messages.hpp"
#include "kbsim/tl/box_args.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/p2p_args.hpp"

namespace kbsim::collective {
namespace {

// A part of a box that fits in a slot.
struct BoxPart {
  std::size_t move = 0;
  Slice rows;
  Slice cols;
};
using BoxStreams = std::map<int, std::vector<BoxPart>>;  // by peer, in order

// Both sides of a message cut alike, because their boxes have the same size.
std::vector<BoxPart> parts_of(const Box& box, std::size_t move, std::int64_t slot_elems) {
  std::vector<BoxPart> parts;
  const std::int64_t rows = std::max<std::int64_t>(slot_elems / box.cols, 1);
  for (const Slice& of_rows : cut({.first = 0, .size = box.rows}, rows)) {
    for (const Slice& of_cols : cut({.first = 0, .size = box.cols}, slot_elems))
      parts.push_back({.move = move, .rows = of_rows, .cols = of_cols});
  }
  return parts;
}

BoxStreams box_streams(const BoxArgs& args, BoxMove::Kind kind) {
  BoxStreams streams;
  for (int i = 0; i < args.count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const BoxMove& move = args.moves[index];
    if (move.kind != kind) continue;
    const Box& box = kind == BoxMove::Kind::receive ? move.to : move.from;
    const std::int64_t slot = std::max<std::int64_t>(args.slot_bytes / itemsize(box.data.dtype), 1);
    std::ranges::move(parts_of(box, index, slot), std::back_inserter(streams[move.peer]));
  }
  return streams;
}

std::size_t longest_of(const BoxStreams& streams) {
  std::size_t most = 0;
  for (const auto& [peer, parts] : streams) most = std::max(most, parts.size());
  return most;
}

Descriptor part_of(TL& tl, const Box& box, const BoxPart& part) {
  return tl.make_desc({.base = box.data,
                       .shape = {box.rows, box.cols},
                       .strides = {box.stride, 1},
                       .block = {part.rows.size, part.cols.size}});
}

Shape first_of(const BoxPart& part) { return {part.rows.first, part.cols.first}; }

// Loads the tiles that a step sends and copies, while the step before it is under way.
std::vector<Pending<Tile>> loads_of(TL& tl, const BoxArgs& args, const BoxStreams& streams,
                                    std::size_t step) {
  std::vector<Pending<Tile>> loads;
  for (const auto& [peer, parts] : streams) {
    if (step >= parts.size()) continue;
    const BoxPart& part = parts[step];
    loads.push_back(part_of(tl, args.moves[part.move].from, part).load(first_of(part)));
  }
  return loads;
}

// The next message of the slowest rank has always been sent. So no ranks wait in a circle, however few slots.
Task<> exchange_boxes(TL& tl, BoxArgs args) {
  const BoxStreams sends = box_streams(args, BoxMove::Kind::send);
  const BoxStreams receives = box_streams(args, BoxMove::Kind::receive);
  const BoxStreams copies = box_streams(args, BoxMove::Kind::copy);
  auto to_send = loads_of(tl, args, sends, 0);
  auto to_copy = loads_of(tl, args, copies, 0);
  const Combination to = args.combines ? Combination{args.op, args.ranks} : Combination{};
  InFlight in_flight;
  const std::size_t steps = std::max({longest_of(sends), longest_of(receives), longest_of(copies)});
  for (std::size_t step = 0; step < steps; ++step) {
    auto sent = std::exchange(to_send, loads_of(tl, args, sends, step + 1));
    auto copied = std::exchange(to_copy, loads_of(tl, args, copies, step + 1));
    auto load = sent.begin();
    for (const auto& [peer, parts] : sends) {
      if (step >= parts.size()) continue;
      const Tile tile = co_await *load++;
      in_flight.add(tl.send({.dir = to_rank(peer), .src = contribution(to, tile)}));
    }
    Tiles received;
    for (const auto& [peer, parts] : receives) {
      if (step >= parts.size()) continue;
      const Box& box = args.moves[parts[step].move].to;
      const Shape shape{parts[step].rows.size, parts[step].cols.size};
      const Tile tile = co_await tl.recv({.dir = to_rank(peer), .shape = shape, .dtype = box.data.dtype});
      if (args.combines) {
        received.push_back(tile);
      } else {
        in_flight.add(part_of(tl, box, parts[step]).store(first_of(parts[step]), tile));
      }
    }
    load = copied.begin();
    for (const auto& [self, parts] : copies) {
      if (step >= parts.size()) continue;
      const Tile own = co_await *load++;
      Tile tile = contribution(to, own);
      for (const Tile& other : received) tile = combine(tl, args.op, other, tile);
      in_flight.add(
          part_of(tl, args.moves[parts[step].move].to, parts[step]).store(first_of(parts[step]), tile));
    }
    co_await in_flight.end_step();
  }
  co_await in_flight.done();
}
KBSIM_KERNEL(exchange_boxes, "boxes of tensors between all pairs of ranks, copied or combined");

}  // namespace
}  // namespace kbsim::collective
