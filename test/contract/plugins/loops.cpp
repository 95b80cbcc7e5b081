// Kernels and a host program that don't return control: for ever, or for a while.
#include <atomic>
#include <chrono>

#include "kbsim/app/bench.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

std::atomic<bool> goes_on = true;

bool is_last(TL& tl) { return tl.program_id(0) == 0 && tl.program_id(1) == 2; }

Task<> loops(TL& tl, CollectiveArgs args) {
  const Tile x = co_await tl.load(args.data + tl.program_id(1) * args.n_elem, {args.n_elem}, args.data.dtype);
  while (goes_on && is_last(tl)) {}
  co_await tl.store(args.data + tl.program_id(1) * args.n_elem, x);
}
KBSIM_KERNEL(loops, "loops on cube 2, pe 0, after its first command");

Task<> loops_at_once(TL& tl, CollectiveArgs) {
  while (goes_on && is_last(tl)) {}
  co_return;
}
KBSIM_KERNEL(loops_at_once, "loops on cube 2, pe 0, before any command");

void take(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {}
}

Task<> thinks(TL& tl, CollectiveArgs args) {
  for (int i = 0; i < 3; ++i) {
    const Tile x =
        co_await tl.load(args.data + tl.program_id(1) * args.n_elem, {args.n_elem}, args.data.dtype);
    if (is_last(tl)) take(std::chrono::milliseconds{700});
  }
}
KBSIM_KERNEL(thinks, "takes long between its commands, on cube 2, pe 0");

}  // namespace

namespace app {
namespace {

Task<> loops_on_host(host::Rank& main, BenchRequest, BenchReport*) {
  co_await main.torch.zeros({4, 8}, f16, {.name = "x"});
  while (goes_on) {}
}
KBSIM_BENCH(loops_on_host, "a host program that loops");

}  // namespace
}  // namespace app
}  // namespace kbsim
