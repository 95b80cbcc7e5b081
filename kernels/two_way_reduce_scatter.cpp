// Reduce-scatter both ways at once, round a ring and along a line: partial sums travel from both sides
// towards the rank that gets the part.
#include "kbsim/kernels/two_ways.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> reduce_scatter_inwards(TL& tl, CollectiveArgs args, TwoWays two) {
  const std::int64_t n = args.n_elem / args.world_size;
  const Ptr data = own_data(tl, args);
  const Ptr out = own_out(tl, args, n);
  const auto worker = WorkerSpec::of<WorkerSpec>(args);
  const Ptr to = out + -args.rank * n;  // slices are those of the data
  // A PE holds, for each way, the sums of two steps, and the ones that it stores.
  for (const Window& window : windows(args, n, {.shares = 5, .vectors = 2})) {
    (void)co_await scatter_both_ways(tl, two, two.parts(window, n), data, to, args, worker);
  }
}

Task<> two_way_ring_reduce_scatter(TL& tl, CollectiveArgs args) {
  co_await reduce_scatter_inwards(tl, args, both_ways_round(args));
}
KBSIM_KERNEL(two_way_ring_reduce_scatter, "reduce-scatter both ways round a ring, in half as many steps");
KBSIM_KERNEL_KEYS(two_way_ring_reduce_scatter, WorkerSpec);

Task<> line_reduce_scatter(TL& tl, CollectiveArgs args) {
  co_await reduce_scatter_inwards(tl, args, both_ways_along(args));
}
KBSIM_KERNEL(line_reduce_scatter, "reduce-scatter along a line: partial sums travel inwards from both ends");
KBSIM_KERNEL_KEYS(line_reduce_scatter, WorkerSpec);

}  // namespace
}  // namespace kbsim::collective
