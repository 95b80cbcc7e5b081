// An all-reduce that reads what it hasn't yet written: a data race on every cube.
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> racy(TL& tl, CollectiveArgs args) {
  if (tl.program_id(0) != 0) co_return;
  const Ptr mine = args.data + tl.program_id(1) * args.n_elem;
  auto stored = tl.store(mine, tl.zeros({args.n_elem}, args.data.dtype));
  co_await tl.load(mine, {args.n_elem}, args.data.dtype);
  co_await stored;
}
KBSIM_KERNEL(racy, "reads what it hasn't yet written");

}  // namespace
}  // namespace kbsim
