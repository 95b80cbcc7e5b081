// Kernels that print; one of them checks a false condition.
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> reports(TL& tl, CollectiveArgs args) {
  if (tl.program_id(1) != 0 || args.rank != 0) co_return;
  const Tile x = tl.arange(0, 3).to(f32);
  tl.print("x", x);
  tl.check_all(x < 4, "small");
  tl.check_all(x, "not zero");
}
KBSIM_KERNEL(reports, "prints, and checks what isn't so");

Task<> prints(TL& tl, CollectiveArgs args) {
  if (tl.program_id(1) == 0 && args.rank == 0) tl.print("once", tl.arange(0, 3));
  co_return;
}
KBSIM_KERNEL(prints, "prints, and computes nothing");

}  // namespace
}  // namespace kbsim
