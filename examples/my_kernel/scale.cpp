// Multiplies a tensor by a number, each PE its own part.
#include "scale.hpp"

#include <kbsim/tl/kernel.hpp>

namespace mine {
namespace {

using kbsim::Ptr, kbsim::Task, kbsim::Tile, kbsim::TL;

Task<> scale(TL& tl, ScaleArgs args) {
  const std::int64_t pe = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  const Ptr mine = args.x + pe * args.n;
  const Tile x = co_await tl.load(mine, {args.n}, mine.dtype);
  co_await tl.store(mine, x * args.by);
}
KBSIM_KERNEL(scale, "multiplies a tensor by a number");

}  // namespace
}  // namespace mine
