// Memory interference: PEs that ask for one access at a time, each of any slice.
#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"

#include "harness.hpp"
#include "sanitized.hpp"

namespace kbsim::hw::test::interference_test {
namespace {

constexpr Bytes kAccess = 4096_B;

/// A cube in which nothing takes time but the slices.
config::MachineSpec slices_only(int pes) {
  config::MachineSpec spec = small_machine();
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.cube.pe_layout = {.corners = {config::Corner::NW}, .pe_per_corner = pes};
  spec.system.ns_per_mm = 0.0;
  spec.system.control_bytes = 1_B;
  spec.cube.xbar.attrs["overhead_ns"] = 0.0;
  spec.cube.hbm_ctrl.attrs["efficiency"] = 1.0;
  spec.cube.hbm_ctrl.attrs["access_ns"] = 0.0;
  spec.pe.pe_cpu.attrs["dispatch_cycles"] = std::int64_t{0};
  spec.pe.pe_mmu.attrs["overhead_ns"] = 0.0;
  spec.pe.pe_tcm.attrs["access_ns"] = 0.0;
  for (const char* rate : {"read_bw_gbs", "write_bw_gbs"}) spec.pe.pe_tcm.attrs[rate] = 1e6;
  spec.pe.link = Bandwidth::gbs(1e6);
  return spec;
}

struct AskArgs {
  int slices;
  int accesses;
  std::int64_t stride;
};

Task<> ask_any(TL& tl, AskArgs args) {
  kbsim::Random random{1, static_cast<std::uint64_t>(tl.program_id(0))};
  for (int i = 0; i < args.accesses; ++i) {
    const auto slice = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(args.slices)));
    const Ptr from = Ptr{.va = kVa, .dtype = DType::u8}.bytes(slice * args.stride);
    const Tile got = co_await tl.load(from, {kAccess.count()}, DType::u8);
  }
}

Task<> map_all_and_run(Rig* rig, int n, AskArgs args, hw::Activity* activity) {
  std::vector<PeCoord> pes;
  for (int pe = 0; pe < n; ++pe) {
    pes.push_back({0, 0, pe});
    for (int slice = 0; slice < n; ++slice)
      co_await rig->map(pes.back(), kVa + static_cast<std::uint64_t>(slice * args.stride),
                        in_hbm(*rig->spec, {0, 0, slice}), kAccess);
  }
  *activity = co_await rig->launch(pes, bind_kernel("ask_any", ask_any, args));
}

/// Bandwidth as a share of the slices' peak.
double bandwidth_of(int n, int accesses) {
  Rig rig{slices_only(n)};
  hw::Activity activity;
  rig.run(
      map_all_and_run(&rig, n, {.slices = n, .accesses = accesses, .stride = kAccess.count()}, &activity));
  const Time served = accesses * rig.spec->cube.xbar_to_hbm.serialization(kAccess);
  return to_ns(served) / to_ns(activity.last_end - activity.first_start);
}

}  // namespace

// The exact bandwidth of n processors and n memories in step: the mean number of busy memories over n, of
// the Markov chain of queue lengths (Bhandarkar, 1975).
TEST_CASE("Interference: eight PEs with one access each over eight slices reach 0.618 of peak" *
          doctest::skip(kbsim::test::kSanitized)) {
  CHECK(bandwidth_of(1, 1000) == doctest::Approx(1.0).epsilon(0.002));
  CHECK(bandwidth_of(2, 8000) == doctest::Approx(0.75).epsilon(0.01));
  CHECK(bandwidth_of(4, 8000) == doctest::Approx(0.6552).epsilon(0.01));
  CHECK(bandwidth_of(8, 8000) == doctest::Approx(0.6184).epsilon(0.01));
}

}  // namespace kbsim::hw::test::interference_test
