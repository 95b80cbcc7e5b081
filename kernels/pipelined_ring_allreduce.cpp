// Bandwidth-optimal all-reduce over a ring whose steps overlap: each message goes on as soon as it came.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> pipelined_ring_allreduce(TL& tl, CollectiveArgs args) {
  const std::vector<Ring> ring{ring_of(args)};
  co_await all_reduce(tl, ring, args, Pace::stream);
}
KBSIM_KERNEL(pipelined_ring_allreduce,
             "all-reduce over a ring: reduce-scatter and all-gather, message by message");

}  // namespace
}  // namespace kbsim
