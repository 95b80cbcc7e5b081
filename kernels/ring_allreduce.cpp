// All-reduce over a ring: everybody forwards what it receives, until everybody has seen the parts of all.
//
// world_size - 1 rounds of the whole vector: the fewest steps, and so the best for small vectors.
#include "kbsim/kernels/tree.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> ring_allreduce(TL& tl, CollectiveArgs args) {
  const Node alone;  // everybody is a root
  const std::vector<Ring> ring{ring_of(args)};
  co_await all_reduce(tl, alone, ring, args.world_size, args.world_size, args);
}
KBSIM_KERNEL(ring_allreduce, "all-reduce over a ring: world_size - 1 rounds of whole vectors");

}  // namespace
}  // namespace kbsim
