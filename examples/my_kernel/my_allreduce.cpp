// A collective of your own: an all-reduce that sends half of the sums each way round a ring.
//
// kbsim/kernels/lanes.hpp has the parts; kbsim's guide for authors of collectives begins with a plain one.
#include <vector>

#include "kbsim/kernels/lanes.hpp"
#include "kbsim/tl/kernel.hpp"

namespace {

using namespace kbsim;
using namespace kbsim::collective;

Task<> my_allreduce(TL& tl, CollectiveArgs args) {
  const int n = args.world_size;
  const Ptr data = own_data(tl, args);
  for (const Window& window : windows(args, args.n_elem, {.shares = 2, .of = n, .vectors = 2})) {
    const Lanes lanes{lane_of(ring_of(args), window.share(0, 2)),
                      lane_of(ring_back(args), window.share(1, 2))};
    std::vector<Prefetch> own = prefetch(tl, data, lanes, window.budget, {args.op, n});
    TileMap sums;
    co_await reduce_scatter(tl, lanes, &own, &sums, args);
    co_await all_gather(tl, lanes, &sums, Gathered::stored, args);
  }
}
KBSIM_KERNEL(my_allreduce, "an all-reduce of somebody's own");

}  // namespace
