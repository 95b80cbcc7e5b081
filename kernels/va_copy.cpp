// Each PE copies its own part of a tensor, found by base + pid * stride.
#include "kbsim/kernels/elementwise.hpp"
#include "kbsim/tl/kernel.hpp"

#undef va_copy  // of <cstdarg>, which other headers may have included

namespace kbsim {
namespace {

Task<> va_copy(TL& tl, VaCopyArgs args) {
  const std::int64_t pid = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  const std::int64_t mine = pid * args.per_pe;
  const Tile tile = co_await tl.load(args.src + mine, {args.per_pe}, args.src.dtype);
  co_await tl.store(args.dst + mine, tile);
}
KBSIM_KERNEL(va_copy, "every PE copies its part of a tensor, at base + pid * stride");

}  // namespace
}  // namespace kbsim
