// A barrier: in each round, a token to the rank 1, 2, 4, ... ahead and one from the rank as far back.
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/p2p_args.hpp"

namespace kbsim::collective {
namespace {

Task<> dissemination_barrier(TL& tl, BarrierArgs args) {
  const Tile token = tl.zeros({1}, f16);
  for (int distance = 1; distance < args.ranks; distance *= 2) {
    const int ahead = (args.rank + distance) % args.ranks;
    const int behind = (args.rank - distance + args.ranks) % args.ranks;
    auto sent = tl.send({.dir = to_rank(ahead), .src = token});
    co_await tl.recv({.dir = to_rank(behind), .shape = {1}, .dtype = f16});
    co_await sent;
  }
}
KBSIM_KERNEL(dissemination_barrier, "a token to the rank 1, 2, 4, ... ahead: ends when all have begun it");

}  // namespace
}  // namespace kbsim::collective
