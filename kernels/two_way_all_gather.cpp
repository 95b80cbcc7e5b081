// All-gather both ways at once, round a ring and along a line: each rank's part passes outwards.
#include "kbsim/kernels/two_ways.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> all_gather_outwards(TL& tl, CollectiveArgs args, TwoWays two) {
  const std::int64_t n = args.n_elem;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, n * args.world_size);
  // A PE holds, for each way, the parts of two steps, and the ones that it stores.
  for (const Window& window : windows(args, n, {.shares = 5})) {
    const std::vector<Window> parts = two.parts(window, n);
    const Slices mine = two.messages(parts[static_cast<std::size_t>(two.place())]);
    Prefetch own{tl, data + -args.rank * n, mine, window.budget};  // slices are those of `out`
    co_await gather_both_ways(tl, two, parts, &own, {}, out, args);
  }
}

Task<> two_way_ring_all_gather(TL& tl, CollectiveArgs args) {
  co_await all_gather_outwards(tl, args, both_ways_round(args));
}
KBSIM_KERNEL(two_way_ring_all_gather, "all-gather both ways round a ring, in half as many steps");

Task<> line_all_gather(TL& tl, CollectiveArgs args) {
  co_await all_gather_outwards(tl, args, both_ways_along(args));
}
KBSIM_KERNEL(line_all_gather, "all-gather along a line: each part passes outwards both ways at once");

}  // namespace
}  // namespace kbsim::collective
