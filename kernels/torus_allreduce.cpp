// Bandwidth-optimal all-reduce over a torus: 2 (w - 1) + 2 (h - 1) steps instead of a ring's 2 (w h - 1).
//
// Reduce-scatter along the rows leaves everybody a wth of the vector, along the columns a hth of that; then
// all-gather along the columns and along the rows. Half of the vector takes rows first, half columns first,
// so that both directions are busy.
#include <algorithm>

#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

// A share of the vector: its way along the first direction, and that of the chunk it gets there along the
// second. The messages of the first way's chunks are those of the second way, one after the other.
struct Share {
  Way first;
  Way second;
};

Share share_of(Ring first, Ring second, Part whole, const Room& room) {
  Share share{.first = {.ring = first, .chunks = {}}, .second = {.ring = second, .chunks = {}}};
  for (int i = 0; i < first.size; ++i) {
    const Way across = way_of(second, part_of(whole, i, first.size), room);
    Messages all;
    for (const Messages& chunk : across.chunks) all.insert(all.end(), chunk.begin(), chunk.end());
    share.first.chunks.push_back(all);
    if (i == first.position) share.second = across;
  }
  return share;
}

// Tiles of a way's chunks one after the other, in the order in which reduce_scatter takes them.
Tiles in_order(const Way& way, const Tiles& tiles) {
  std::vector<Tiles> chunks;
  auto next = tiles.begin();
  for (const Messages& chunk : way.chunks) {
    const auto end = next + static_cast<std::ptrdiff_t>(chunk.size());
    chunks.emplace_back(next, end);
    next = end;
  }
  Tiles all;
  for (int steps = 1; steps <= way.ring.size; ++steps) {
    const Tiles& chunk = chunks[static_cast<std::size_t>(way.ring.before(steps))];
    all.insert(all.end(), chunk.begin(), chunk.end());
  }
  return all;
}

Task<> all_reduce_window(TL& tl, Part window, Room room, CollectiveArgs args) {
  const Ring row{.position = args.rank % args.sip_w, .size = args.sip_w};
  const Ring column{.position = args.rank / args.sip_w, .size = args.sip_h, .next = Dir::S, .back = Dir::N};
  const std::vector<Share> shares{share_of(row, column, part_of(window, 0, 2), room),
                                  share_of(column, row, part_of(window, 1, 2), room)};
  const Ptr mine = own_data(tl, args);
  const Manner manner = manner_of(args);

  std::vector<Way> first;
  std::vector<Way> second;
  std::vector<Source> sources;
  for (const Share& share : shares) {
    first.push_back(share.first);
    second.push_back(share.second);
    sources.emplace_back(tl, mine, share.first.order(), room);
  }
  std::vector<Tiles> sums = co_await reduce_scatter(tl, &first, &sources, manner);

  sources.clear();
  std::vector<Sink> kept;
  std::vector<Sink> sinks;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sources.emplace_back(tl, in_order(second[i], sums[i]));
    kept.emplace_back();
    sinks.emplace_back(tl, mine);
  }
  sums = co_await reduce_scatter(tl, &second, &sources, manner);
  for (Tiles& tiles : sums) {
    for (Tile& sum : tiles) sum = finish(args.op, sum, args.world_size);
  }
  co_await all_gather(tl, &second, sums, &kept, manner);
  for (std::size_t i = 0; i < shares.size(); ++i) sums[i] = kept[i].kept();
  co_await all_gather(tl, &first, sums, &sinks, manner);
}

Task<> torus_allreduce(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  const int smaller = std::min(args.sip_w, args.sip_h);
  const Room room = room_of(args, 2);
  // Of the chunks of the shorter ring: the own one, and those of two steps.
  const Messages windows = cut({.first = 0, .size = args.n_elem}, room.window(3, smaller));
  for (const Part& window : windows) co_await all_reduce_window(tl, window, room, args);
}
KBSIM_KERNEL(torus_allreduce,
             "all-reduce over a torus: reduce-scatter and all-gather along rows and columns");

}  // namespace
}  // namespace kbsim
