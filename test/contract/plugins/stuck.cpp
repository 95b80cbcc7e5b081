// All-reduces that don't end. In one, two cubes of rank 0 wait for each other, and a cube of rank 1 for one
// that has ended.
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> stuck(TL& tl, CollectiveArgs args) {
  const int cube = tl.program_id(1);
  if (args.rank == 0 && cube == 0) co_await tl.recv({.dir = Dir::E, .shape = {1}});
  if (args.rank == 0 && cube == 1) co_await tl.recv({.dir = Dir::W, .shape = {1}});
  if (args.rank == 1 && cube == 1) co_await tl.recv({.dir = Dir::W, .shape = {1}});
}
KBSIM_KERNEL(stuck, "waits for what never comes");

// On each rank two cubes wait for one another.
Task<> two_circles(TL& tl, CollectiveArgs) {
  const int cube = tl.program_id(1);
  if (cube == 0) co_await tl.recv({.dir = Dir::E, .shape = {1}});
  if (cube == 1) co_await tl.recv({.dir = Dir::W, .shape = {1}});
}
KBSIM_KERNEL(two_circles, "waits for what never comes, twice");

Task<> stuck_if_large(TL& tl, CollectiveArgs args) {
  if (args.n_elem > 1024) co_await two_circles(tl, args);
}
KBSIM_KERNEL(stuck_if_large, "waits for what never comes, with more than 1024 elements");

Task<> unsignalled(TL& tl, CollectiveArgs args) {
  if (args.rank != 1 || tl.program_id(0) != 0 || tl.program_id(1) != 0) co_return;
  co_await tl.wait_signal({.signal = {.va = args.data.va, .dtype = i32}, .equal = -1});
}
KBSIM_KERNEL(unsignalled, "waits for a word that nobody puts");

}  // namespace
}  // namespace kbsim
