// A collective of your own: everybody sends half of the ranks' sums each way round a ring.
//
// kbsim/kernels/ring.hpp has the parts; kbsim's guide for authors of collectives begins with a plain one.
#include <vector>

#include "kbsim/kernels/ring.hpp"
#include "kbsim/tl/kernel.hpp"

namespace {

using namespace kbsim;
using collective::Ring;

Task<> my_allreduce(TL& tl, CollectiveArgs args) {
  const std::vector<Ring> both_ways{collective::ring_of(args), collective::ring_back(args)};
  co_await collective::all_reduce(tl, both_ways, args, collective::Pace::steps);
}
KBSIM_KERNEL(my_allreduce, "an all-reduce of somebody's own");

}  // namespace
