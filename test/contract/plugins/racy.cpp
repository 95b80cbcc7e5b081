// All-reduces that read data before they have written it: a data race on every cube. Two of them then fail.
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

bool first_of_all(TL& tl) { return tl.place() == PeCoord{}; }

Task<> racy_fault(TL& tl, CollectiveArgs args) {
  co_await racy(tl, args);
  if (!first_of_all(tl)) co_return;
  co_await tl.load(Ptr{.va = 8, .dtype = args.data.dtype}, {1}, args.data.dtype);
}
KBSIM_KERNEL(racy_fault, "and then what isn't mapped");

Task<> racy_deadlock(TL& tl, CollectiveArgs args) {
  co_await racy(tl, args);
  if (!first_of_all(tl)) co_return;
  co_await tl.recv({.dir = Dir::E, .shape = {1}, .dtype = args.data.dtype});
}
KBSIM_KERNEL(racy_deadlock, "and then waits for what nobody sends");

}  // namespace
}  // namespace kbsim
