// An all-reduce before which one rank does extra work.
#include "kbsim/base/kernel_keys.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

struct StragglesSpec {
  int slow_rank = 0;
  int extra = 0;
  bool slope = false;
  static void describe(auto& f) {
    f.add("slow_rank", &StragglesSpec::slow_rank, between(0, 63), "the rank with more work");
    f.add("extra", &StragglesSpec::extra, between(0, 100'000), "its vector operations on 64 elements");
    f.add("slope", &StragglesSpec::slope, "each rank has as many times `extra` as its number");
  }
};

// Its result is stored where the collective loads it, so all ranks wait for it.
Task<> works(TL& tl, CollectiveArgs args, int operations) {
  Tile x = co_await tl.load(args.data, {64}, args.data.dtype);
  for (int i = 0; i < operations; ++i) x = x * 1.0;
  co_await tl.store(args.data, x);
}

Task<> straggles(TL& tl, CollectiveArgs args) {
  const auto own = args.own.as<StragglesSpec>();
  const int operations = own.slope ? args.rank * own.extra : args.rank == own.slow_rank ? own.extra : 0;
  if (operations > 0) co_await works(tl, args, operations);
  const KernelCall reduce = kernels().at("ring_allreduce").bind(args);
  co_await reduce.start(tl);
}
KBSIM_KERNEL_KEYS(straggles, StragglesSpec);
KBSIM_KERNEL(straggles, "ring all-reduce; one rank has extra work before it");

}  // namespace
}  // namespace kbsim
