// All-reduce both ways at once, round a ring and along a line: reduce-scatter, then all-gather.
#include "kbsim/kernels/two_ways.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> all_reduce_both_ways(TL& tl, CollectiveArgs args, TwoWays two) {
  const int n = args.world_size;
  if (n == 1) co_return;
  const Ptr data = own_data(tl, args);
  for (const Window& window : windows(args, args.n_elem, {.shares = 5, .of = n, .vectors = 2})) {
    std::vector<Window> parts;
    for (int place = 0; place < n; ++place) parts.push_back(window.share(place, n));
    TileMap sums = co_await scatter_both_ways(tl, two, parts, data, std::nullopt, args, {});
    co_await gather_both_ways(tl, two, parts, std::move(sums), data, args);
  }
}

Task<> two_way_ring_allreduce(TL& tl, CollectiveArgs args) {
  co_await all_reduce_both_ways(tl, args, both_ways_round(args));
}
KBSIM_KERNEL(two_way_ring_allreduce,
             "all-reduce both ways round a ring: reduce-scatter and all-gather of N / 2 steps each");

Task<> line_allreduce(TL& tl, CollectiveArgs args) {
  co_await all_reduce_both_ways(tl, args, both_ways_along(args));
}
KBSIM_KERNEL(line_allreduce, "all-reduce along a line: reduce-scatter, then all-gather, both ways at once");

}  // namespace
}  // namespace kbsim::collective
