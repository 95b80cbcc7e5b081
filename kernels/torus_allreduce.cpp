// Bandwidth-optimal all-reduce over a torus: 2 (w - 1) + 2 (h - 1) steps instead of a ring's 2 (w h - 1).
//
// Reduce-scatter along the rows leaves 1/w of the vector per PE, along the columns 1/(w h); then all-gather
// runs along the columns and along the rows. Half of the vector takes rows first, half columns first, so that
// both directions are busy.
#include <algorithm>

#include "kbsim/kernels/lanes.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

// The second ring of a half: it carries the chunk that this PE got from the first ring.
Lane second_lane(const Ring& first, const Ring& second, const Window& half, int place) {
  return lane_of(second, half.share(place, first.size));
}

// The first ring of a half: each chunk lists the messages that go round the second ring, one after the other.
Lane first_lane(const Ring& first, const Ring& second, const Window& half) {
  Lane lane{.ring = first, .chunks = {}};
  for (int place = 0; place < first.size; ++place) {
    Slices& messages = lane.chunks.emplace_back();
    for (const Slices& chunk : second_lane(first, second, half, place).chunks) {
      messages.insert(messages.end(), chunk.begin(), chunk.end());
    }
  }
  return lane;
}

Task<> torus_allreduce(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  const Ring row = row_of(args);
  const Ring column = column_of(args);
  const Ptr data = own_data(tl, args);
  // A PE holds three chunks of the shorter ring: its own, and those of two steps.
  const Held held{.shares = 3, .of = std::min(row.size, column.size), .vectors = 2};
  for (const Window& window : windows(args, args.n_elem, held)) {
    const Lanes first{first_lane(row, column, window.share(0, 2)),
                      first_lane(column, row, window.share(1, 2))};
    const Lanes second{second_lane(row, column, window.share(0, 2), row.position),
                       second_lane(column, row, window.share(1, 2), column.position)};
    std::vector<Prefetch> own = prefetch(tl, data, first, window.budget, {args.op, args.world_size});
    TileMap sums;
    co_await reduce_scatter(tl, first, &own, &sums, args);
    co_await reduce_scatter(tl, second, nullptr, &sums, args);
    co_await all_gather(tl, second, &sums, Gathered::kept, args);
    co_await all_gather(tl, first, &sums, Gathered::stored, args);
  }
}
KBSIM_KERNEL(torus_allreduce,
             "all-reduce over a torus: reduce-scatter and all-gather along rows and columns");

}  // namespace
}  // namespace kbsim::collective
