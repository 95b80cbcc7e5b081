// All-reduces that never end.
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> endless_loads(TL& tl, CollectiveArgs args) {
  const Ptr mine = args.data + tl.program_id(1) * args.n_elem;
  for (;;) co_await tl.load(mine, {args.n_elem}, args.data.dtype);
}
KBSIM_KERNEL(endless_loads, "loads and loads");

Task<> endless_views(TL& tl, CollectiveArgs args) {
  Tile x = tl.zeros({2, args.n_elem}, f32);
  for (;;) x = tl.reshape(x, {2, args.n_elem});
  co_return;
}
KBSIM_KERNEL(endless_views, "reshapes and reshapes");

}  // namespace
}  // namespace kbsim
