#include <doctest/doctest.h>

#include "harness.hpp"
#include "wires.hpp"

namespace kbsim::hw::test::scaling_test {
namespace {

// All latencies q-fold, all rates divided by q; the numbers divide for q = 1, 2, 4.
config::MachineSpec slower(int q) {
  config::MachineSpec spec = small_machine();
  spec.system.sips.count = 2;
  spec.sip.cube_mesh = {.w = 2, .h = 2};
  spec.system.control_bytes = 64_B;
  spec.system.ns_per_mm = 0.01 * q;
  for_each_wire(spec, [q](auto& wire) { wire.bandwidth = Bandwidth::gbs(wire.bandwidth.gbs() / q); });
  for (Bandwidth* rate : {&spec.cube.noc.link, &spec.cube.xbar_to_hbm, &spec.pe.link})
    *rate = Bandwidth::gbs(rate->gbs() / q);
  const auto set = [q](ComponentSpec& part, const char* name, double value) { part.attrs[name] = value * q; };
  set(spec.system.components.pcie_switch, "overhead_ns", 5.0);
  set(spec.sip.ucie, "overhead_ns", 8.0);
  for (ComponentSpec* cpu : {&spec.sip.io.pcie_ep, &spec.sip.io.io_cpu, &spec.cube.m_cpu})
    set(*cpu, "overhead_ns", 10.0);
  for (ComponentSpec* part : {&spec.sip.io.router, &spec.cube.noc.router, &spec.pe.pe_mmu, &spec.pe.pe_ipcq})
    set(*part, "overhead_ns", 1.0);
  set(spec.cube.xbar, "overhead_ns", 2.0);
  set(spec.cube.hbm_ctrl, "access_ns", 30.0);
  set(spec.pe.pe_tcm, "access_ns", 1.0);
  set(spec.pe.pe_math, "startup_ns", 4.0);
  for (const char* port : {"read_bw_gbs", "write_bw_gbs"}) spec.pe.pe_tcm.attrs[port] = 512.0 / q;
  for (ComponentSpec* clocked : {&spec.pe.pe_cpu, &spec.pe.pe_math}) clocked->attrs["freq_ghz"] = 1.0 / q;
  return spec;
}

struct NoArgs {};

Task<> busy_kernel(TL& tl, NoArgs) {
  constexpr Ptr kHere{.va = kVa, .dtype = f16};
  auto x_loading = tl.load(kHere, {4096}, f16);
  auto y_loading = tl.load(kHere + 8192, {4096}, f16);
  const Tile x = co_await x_loading;
  const Tile y = co_await y_loading;
  const Tile sum = x + y;
  auto storing = tl.store(kHere, sum);
  co_await tl.store(kHere + 8192, sum * y);
  co_await storing;
}

// Every PE works on the slice of another: their routes cross.
Task<> all_at_work(Rig* rig) {
  std::vector<PeCoord> pes;
  for (int cube = 0; cube < rig->spec->cubes_per_sip(); ++cube) {
    for (int pe = 0; pe < rig->spec->pes_per_cube(); ++pe) {
      const PeCoord owner{.sip = 1, .cube = 3 - cube, .pe = pe};
      pes.push_back({.sip = 0, .cube = cube, .pe = pe});
      co_await rig->map(pes.back(), kVa, in_hbm(*rig->spec, owner), 1_MiB);
    }
  }
  (void)co_await rig->launch(pes, bind_kernel("busy", busy_kernel, NoArgs{}));
}

// All times in the op log, in its order.
std::vector<Time> times_of(int q) {
  Rig rig{slower(q)};
  rig.run(all_at_work(&rig));
  std::vector<Time> times{rig.sim.now()};
  for (std::uint32_t lane = 0; lane < rig.log.lanes(); ++lane) {
    for (const oplog::Op& op : rig.log.ops(lane)) times.insert(times.end(), {op.start, op.end});
  }
  return times;
}

}  // namespace

TEST_CASE("Machine: all latencies q-fold and all rates divided by q give q times every time, exactly") {
  const std::vector<Time> plain = times_of(1);
  CHECK(plain.size() == 1 + 2 * 8 * 6);
  for (const int q : {2, 4}) {
    std::vector<Time> expected = plain;
    for (Time& t : expected) t *= q;
    CHECK(times_of(q) == expected);
  }
}

}  // namespace kbsim::hw::test::scaling_test
