// Bandwidth-optimal all-reduce over a ring in both directions at once: half of the vector goes each way.
#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> bidirectional_ring_allreduce(TL& tl, CollectiveArgs args) {
  const int last = args.world_size - 1;
  const std::vector<Ring> rings{
      {.position = args.rank, .size = args.world_size},
      {.position = last - args.rank, .size = args.world_size, .next = Dir::W, .back = Dir::E}};
  co_await all_reduce(tl, rings, args, Pace::stream);
}
KBSIM_KERNEL(bidirectional_ring_allreduce,
             "all-reduce over a ring, half of the vector in each direction, message by message");

}  // namespace
}  // namespace kbsim
