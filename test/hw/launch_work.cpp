// Work of the PEs' units in a launch: busy times and bytes, of that launch alone.
#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::launch_work_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr PeCoord kOther{0, 0, 1};
constexpr Ptr kBytes{.va = kVa, .dtype = DType::u8};
constexpr Time kDispatch = 4_ns;
constexpr Time kMmu = 1_ns;
constexpr Time kMath = 5_ns;  // of 64 elements: 4 ns to start, one cycle

struct Args {
  int sums = 0;
  std::int64_t loaded = 0;
  std::int64_t stored = 0;
  Time* loading = nullptr;  // how long the loads take
};

Task<> works(TL& tl, Args args) {
  Tile sum = tl.full({64}, 1.0);
  for (int i = 0; i < args.sums; ++i) sum += sum;
  co_await tl.sync();
  const Time start = tl.clock();
  if (args.loaded > 0) co_await tl.load(kBytes, {args.loaded}, DType::u8);
  if (args.loading != nullptr) *args.loading = tl.clock() - start;
  if (args.stored > 0) co_await tl.store(kBytes, tl.zeros({args.stored}, DType::u8));
}

Task<> loads_twice(TL& tl, Args args) {
  const Time start = tl.clock();
  auto first = tl.load(kBytes, {args.loaded}, DType::u8);
  auto second = tl.load(kBytes, {args.loaded}, DType::u8);
  co_await second;
  *args.loading = tl.clock() - start;
  co_await first;
}

using Works = std::vector<UnitWork>;
struct Launches {
  Rig* rig;
  std::vector<PeCoord> pes;
  std::vector<KernelCall> kernels;
  Works* seen;
};

Task<> one_after_another(Launches of) {
  for (const PeCoord pe : of.pes) co_await of.rig->map(pe, kVa, in_hbm(*of.rig->spec, pe), 1_MiB);
  for (const KernelCall& kernel : of.kernels) {
    const Activity activity = co_await of.rig->launch(of.pes, kernel);
    of.seen->push_back(activity.work);
  }
}

Works work_of(std::vector<KernelCall> kernels, std::vector<PeCoord> pes = {kPe}) {
  Rig rig{small_machine()};
  Works seen;
  rig.run(
      one_after_another({.rig = &rig, .pes = std::move(pes), .kernels = std::move(kernels), .seen = &seen}));
  return seen;
}

KernelCall working(const Args& args) { return bind_kernel("works", works, args); }

}  // namespace

TEST_CASE("Work of a launch: the vector engine is busy for what its commands cost, of this launch only") {
  const Works seen = work_of({working({.sums = 3}), working({.sums = 5}), working({})});
  CHECK(seen[0].math == (1 + 3) * kMath);  // the filling, and each sum
  CHECK(seen[1].math == (1 + 5) * kMath);
  CHECK(seen[2].math == kMath);
  for (const UnitWork& work : seen) {
    CHECK(work.gemm == Time{0});
    CHECK(work.dma == Time{0});
    CHECK(work.read == 0_B);
    CHECK(work.written == 0_B);
  }
}

TEST_CASE("Work of a launch: the DMA is busy from a transfer's begin to its end, and counts bytes") {
  Time loading{};
  const Works seen = work_of({working({.loaded = 10'000, .loading = &loading}), working({.stored = 5000})});
  CHECK(seen[0].dma == loading - kDispatch - kMmu);
  CHECK(seen[0].read == 10'000_B);
  CHECK(seen[0].written == 0_B);
  CHECK(seen[1].dma > Time{0});
  CHECK(seen[1].read == 0_B);
  CHECK(seen[1].written == 5000_B);
}

TEST_CASE("Work of a launch: transfers that overlap are busy time once") {
  Time loading{};
  const Works seen =
      work_of({bind_kernel("loads_twice", loads_twice, Args{.loaded = 65'536, .loading = &loading})});
  CHECK(seen[0].dma == loading - kDispatch - kMmu);
  CHECK(seen[0].read == 131'072_B);
}

TEST_CASE("Work of a launch: that of several PEs is their sum") {
  const KernelCall kernel = working({.sums = 4, .loaded = 4096, .stored = 512});
  const UnitWork one = work_of({kernel}).front();
  const UnitWork both = work_of({kernel}, {kPe, kOther}).front();
  CHECK(both.math == 2 * one.math);
  CHECK(both.read == 2 * one.read);
  CHECK(both.written == 2 * one.written);
  CHECK(both.dma == 2 * one.dma);  // each in its own slice of the memory
}

}  // namespace kbsim::hw::test::launch_work_test
