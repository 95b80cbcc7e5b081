// Bandwidth-optimal all-reduce over a ring: 2 (N - 1) steps, each of an Nth of the vector.
//
// A step begins when the one before has ended: 2 (N - 1) (alpha + S / (N B)), as the textbooks have it.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> chunked_ring_allreduce(TL& tl, CollectiveArgs args) {
  const std::vector<Ring> ring{ring_of(args)};
  co_await all_reduce(tl, ring, args, Pace::steps);
}
KBSIM_KERNEL(chunked_ring_allreduce, "all-reduce over a ring: reduce-scatter, then all-gather, step by step");

}  // namespace
}  // namespace kbsim
