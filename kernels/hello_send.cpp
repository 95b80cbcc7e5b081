// Each rank sends its tensor E and receives one from W: the first kernel to read.
#include "kbsim/kernels/window.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::collective {
namespace {

Task<> hello_send(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  const Ptr mine = own_data(tl, args);
  for (const Slice& message : cut({.first = 0, .size = args.n_elem}, budget_of(args).message)) {
    const Tile hello = co_await tl.load(mine + message.first, {message.size}, mine.dtype);
    auto sent = tl.send({.dir = Dir::E, .src = hello});
    const Tile other = co_await tl.recv({.dir = Dir::W, .shape = {message.size}, .dtype = mine.dtype});
    co_await sent;
    co_await tl.store(mine + message.first, other);
  }
}
KBSIM_KERNEL(hello_send, "each rank's tensor to the next rank: send E, receive W");

}  // namespace
}  // namespace kbsim::collective
