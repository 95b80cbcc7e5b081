// One tile from one cube to the next: the first kernel to read.
#include "kbsim/kernels/hello_send.hpp"

#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> hello_send(TL& tl, HelloArgs args) {
  if (tl.program_id(0) != 0) co_return;
  const int cube = tl.program_id(1);
  const Ptr mine = args.data + cube * args.n;
  if (cube == 0) {
    const Tile hello = co_await tl.load(mine, {args.n}, mine.dtype);
    co_await tl.send({.dir = Dir::E, .src = hello});
  } else if (cube == 1) {
    const Tile hello = co_await tl.recv({.dir = Dir::W, .shape = {args.n}, .dtype = mine.dtype});
    co_await tl.store(mine, hello);
  }
}
KBSIM_KERNEL(hello_send, "one tile from cube 0 to cube 1");

}  // namespace
}  // namespace kbsim
