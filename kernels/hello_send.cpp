// Everybody sends its tensor to the E and receives one from the W: the first kernel to read.
#include "kbsim/kernels/messages.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

using namespace collective;

Task<> hello_send(TL& tl, CollectiveArgs args) {
  if (args.world_size == 1) co_return;
  const Ptr mine = own_data(tl, args);
  for (const Part& part : cut({.first = 0, .size = args.n_elem}, room_of(args).message)) {
    const Tile hello = co_await tl.load(mine + part.first, {part.size}, mine.dtype);
    auto sent = tl.send({.dir = Dir::E, .src = hello});
    const Tile other = co_await tl.recv({.dir = Dir::W, .shape = {part.size}, .dtype = mine.dtype});
    co_await sent;
    co_await tl.store(mine + part.first, other);
  }
}
KBSIM_KERNEL(hello_send, "everybody's tensor to the next rank: send E, receive W");

}  // namespace
}  // namespace kbsim
