#include "kbsim/kernels/doubling.hpp"

#include <iterator>
#include <utility>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/tl/p2p_args.hpp"

namespace kbsim::collective {
namespace {

// The first of the `count` ranks that differ from a rank in lower bits only; a power of two.
int group_of(int rank, int count) { return rank & ~(count - 1); }

}  // namespace

Doubling doubling_of(const CollectiveArgs& args) {
  int size = 1;
  while (2 * size <= args.world_size) size *= 2;
  return {.rank = args.rank, .size = size, .ranks = args.world_size};
}

Slices Chunks::messages(int first, int count) const {
  Slices all;
  for (int i = first; i < first + count; ++i)
    all.insert(all.end(), messages_[at(i)].begin(), messages_[at(i)].end());
  return all;
}

Tiles Chunks::tiles(int first, int count) const {
  Tiles all;
  for (int i = first; i < first + count; ++i)
    all.insert(all.end(), tiles_[at(i)].begin(), tiles_[at(i)].end());
  return all;
}

void Chunks::put(int first, int count, Tiles tiles) {
  auto next = tiles.begin();
  for (int i = first; i < first + count; ++i) {
    const auto end = tiles.empty() ? next : next + std::ssize(messages_[at(i)]);
    tiles_[at(i)].assign(next, end);
    next = end;
  }
}

Task<Tiles> exchange_with(TL& tl, int to, Tiles mine, int from, Slices theirs, DType dtype) {
  InFlight in_flight;
  for (const Tile& tile : mine) in_flight.add(tl.send({.dir = to_rank(to), .src = tile}));
  Tiles tiles;
  for (const Slice& message : theirs) {
    const Tile got = co_await tl.recv({.dir = to_rank(from), .shape = {message.size}, .dtype = dtype});
    tiles.push_back(got.to(dtype));
  }
  co_await in_flight.done();
  co_return tiles;
}

Task<Tiles> combine_with(TL& tl, CollectiveArgs args, int rank, Tiles mine, Tiles sums) {
  InFlight in_flight;
  for (const Tile& tile : mine) in_flight.add(tl.send({.dir = to_rank(rank), .src = tile}));
  for (Tile& sum : sums) {
    const Tile theirs = co_await tl.recv({.dir = to_rank(rank), .shape = sum.shape(), .dtype = sum.dtype()});
    sum = rank < args.rank ? combine(tl, args.op, theirs, sum) : combine(tl, args.op, sum, theirs);
  }
  co_await in_flight.done();
  co_return sums;
}

Task<> halve(TL& tl, CollectiveArgs args, Doubling doubling, Chunks* chunks) {
  for (int distance = doubling.size / 2; distance >= 1; distance /= 2) {
    const int partner = doubling.rank ^ distance;
    const int kept = group_of(doubling.rank, distance);
    const int given = group_of(partner, distance);
    Tiles sums = co_await combine_with(tl, args, partner, chunks->tiles(given, distance),
                                       chunks->tiles(kept, distance));
    chunks->put(given, distance);
    chunks->put(kept, distance, std::move(sums));
  }
}

Task<> double_up(TL& tl, Doubling doubling, Chunks* chunks, DType dtype) {
  for (int distance = 1; distance < doubling.size; distance *= 2) {
    const int partner = doubling.rank ^ distance;
    const int theirs = group_of(partner, distance);
    Tiles tiles =
        co_await exchange_with(tl, partner, chunks->tiles(group_of(doubling.rank, distance), distance),
                               partner, chunks->messages(theirs, distance), dtype);
    chunks->put(theirs, distance, std::move(tiles));
  }
}

}  // namespace kbsim::collective
