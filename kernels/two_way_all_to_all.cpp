// All-to-all both ways at once, round a ring and along a line: a part takes the shorter way to its rank, and
// the ranks between relay it.
#include "kbsim/kernels/relays.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> all_to_all_both_ways(TL& tl, CollectiveArgs args, TwoWays two) {
  co_await relay_both_ways(tl, args, std::move(two), Spread::each_to_its_own, args.n_elem / args.world_size);
}

Task<> two_way_ring_all_to_all(TL& tl, CollectiveArgs args) {
  co_await all_to_all_both_ways(tl, args, both_ways_round(args));
}
KBSIM_KERNEL(two_way_ring_all_to_all, "all-to-all both ways round a ring, each part by the shorter way");
KBSIM_KERNEL_KEYS(two_way_ring_all_to_all, RelaySpec, {}, {}, {}, "per_way");

Task<> line_all_to_all(TL& tl, CollectiveArgs args) {
  co_await all_to_all_both_ways(tl, args, both_ways_along(args));
}
KBSIM_KERNEL(line_all_to_all, "all-to-all along a line: parts are relayed through the ranks between");
KBSIM_KERNEL_KEYS(line_all_to_all, RelaySpec, {}, {}, {}, "per_way");

}  // namespace
}  // namespace kbsim::collective
