// Bandwidth-optimal all-reduce over a ring in both directions at once: half of the vector goes each way.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> bidirectional_ring_allreduce(TL& tl, CollectiveArgs args) {
  const std::vector<Ring> both_ways{ring_of(args), ring_back(args)};
  co_await all_reduce(tl, both_ways, args, Pace::stream);
}
KBSIM_KERNEL(bidirectional_ring_allreduce,
             "all-reduce over a ring, half of the vector in each direction, message by message");

}  // namespace
}  // namespace kbsim
