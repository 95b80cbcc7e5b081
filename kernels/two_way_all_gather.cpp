// All-gather both ways at once, round a ring and along a line: each rank's part passes outwards.
#include "kbsim/kernels/relays.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> all_gather_outwards(TL& tl, CollectiveArgs args, TwoWays two) {
  co_await relay_both_ways(tl, args, std::move(two), Spread::each_to_all, args.n_elem);
}

Task<> two_way_ring_all_gather(TL& tl, CollectiveArgs args) {
  co_await all_gather_outwards(tl, args, both_ways_round(args));
}
KBSIM_KERNEL(two_way_ring_all_gather, "all-gather both ways round a ring, in half as many steps");
KBSIM_KERNEL_KEYS(two_way_ring_all_gather, RelaySpec, {}, {}, {}, "per_way");

Task<> line_all_gather(TL& tl, CollectiveArgs args) {
  co_await all_gather_outwards(tl, args, both_ways_along(args));
}
KBSIM_KERNEL(line_all_gather, "all-gather along a line: each part passes outwards both ways at once");
KBSIM_KERNEL_KEYS(line_all_gather, RelaySpec, {}, {}, {}, "per_way");

}  // namespace
}  // namespace kbsim::collective
