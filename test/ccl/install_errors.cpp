#include <limits>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "plans.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

/// The exit code and text with which installing fails on two packages.
template <class Exception>
void check_refused(const config::AlgorithmSpec& algorithm, ExitCode exit, const std::string& text) {
  CHECK_THROWS_WITH_AS((void)plans_of(algorithm, machine(2)), text.c_str(), Exception);
  try {
    (void)plans_of(algorithm, machine(2));
  } catch (const Error& error) {
    CHECK(error.exit_code() == exit);
  }
}

/// A wiring of the first two PEs that take part, in which the first has these labels, all to the second.
Topology one_sided(const std::vector<std::string>& labels) {
  return {.doc = "for a test", .wire = [labels](const config::MachineSpec&, const std::vector<PeCoord>& pes) {
            Wiring wiring{{pes[0], {}}, {pes[1], {{.direction = "W", .peer = pes[0]}}}};
            for (const std::string& label : labels) {
              wiring[pes[0]].push_back({.direction = label, .peer = pes[1]});
            }
            return wiring;
          }};
}

}  // namespace

TEST_CASE("build_install_plans: an unknown topology or mapper is a usage error with the nearest name") {
  check_refused<UsageError>(algorithm("cube_mash"), ExitCode::usage,
                            "unknown neighbour topology 'cube_mash', did you mean 'cube_mesh'?");
  check_refused<UsageError>(algorithm("cube_mesh", "leaders_only"), ExitCode::usage,
                            "unknown mapper 'leaders_only', did you mean 'leader_only'?");
}

TEST_CASE("build_install_plans: a ring larger than the memory that holds it is a usage error") {
  config::AlgorithmSpec large = algorithm();
  const std::string remedy =
      "; lower ccl.defaults.slot_size or ccl.defaults.n_slots, or those of algorithm test";
  large.buffer_kind = config::BufferKind::sram;
  large.slot_size = 8_MiB + 1_B;
  check_refused<UsageError>(
      large, ExitCode::usage,
      "4 slots (n_slots) of 8388609 B (slot_size) are more than a cube's SRAM, 32 MiB" + remedy);
  large.buffer_kind = config::BufferKind::hbm;
  large.slot_size = 2_GiB;
  check_refused<UsageError>(
      large, ExitCode::usage,
      "4 slots (n_slots) of 2 GiB (slot_size) are more than a PE's HBM slice, 6 GiB" + remedy);
  large.buffer_kind = config::BufferKind::tcm;
  large.slot_size = 3_MiB + 1_B;
  check_refused<UsageError>(large, ExitCode::usage,
                            "4 slots (n_slots) of 3145729 B (slot_size) are more than a PE's TCM beside the "
                            "scheduler's part, 12 MiB" +
                                remedy);
  large.slot_size = Bytes{std::numeric_limits<std::int64_t>::max()};
  CHECK_THROWS_AS((void)plans_of(large, machine(2)), UsageError);
}

TEST_CASE("build_install_plans: rings that together don't fit are an error that names the PE") {
  config::AlgorithmSpec large = algorithm();
  large.slot_size = 2_MiB;
  CHECK_THROWS_AS((void)plans_of(large, machine(2)), UsageError);
  large.slot_size = 1_MiB;
  CHECK_NOTHROW((void)plans_of(large, machine(2)));
  large.buffer_kind = config::BufferKind::hbm;
  large.slot_size = 1_GiB;
  CHECK_THROWS_AS((void)plans_of(large, machine(2)), AllocationError);
  large.slot_size = 512_MiB;
  CHECK_NOTHROW((void)plans_of(large, machine(2)));
}

TEST_CASE("require_disjoint: two rings with a byte in common are a usage error that names both") {
  config::AlgorithmSpec in_sram = algorithm("cube_mesh", "all_pes");
  in_sram.buffer_kind = config::BufferKind::sram;
  std::vector<InstallPlan> plans = plans_of(in_sram, machine(1, 2, 1));
  CHECK_NOTHROW(require_disjoint(plans));
  QueuePlan& first = plans[0].pes[0].queues[0];
  QueuePlan& other = plans[0].pes[3].queues[0];
  other.my_ring = first.my_ring + (4 * 4_KiB - 1_B);
  const std::string text = "the rings of sip0.cube0.pe0 " + first.direction + " and sip0.cube0.pe3 " +
                           other.direction + " overlap at " + to_string(other.my_ring);
  CHECK_THROWS_WITH_AS(require_disjoint(plans), text.c_str(), UsageError);
}

TEST_CASE("require_disjoint: so are rings of two algorithms, of different PEs of one SRAM too") {
  config::AlgorithmSpec of_leaders = algorithm("ring_1d", "leader_only");
  config::AlgorithmSpec of_all = algorithm("ring_1d", "all_pes");
  of_leaders.buffer_kind = of_all.buffer_kind = config::BufferKind::sram;
  const config::MachineSpec two = machine(2);
  topology::MachineAllocators allocators{two};
  std::vector<InstallPlan> plans = build_install_plans(of_leaders, two, allocators);
  const std::vector<InstallPlan> others = build_install_plans(of_all, two, allocators);
  plans.insert(plans.end(), others.begin(), others.end());
  CHECK_NOTHROW(require_disjoint(plans));
  plans[2].pes[3].queues[0].my_ring = plans[0].pes[0].queues[0].my_ring;
  CHECK_THROWS_AS(require_disjoint(plans), UsageError);
}

TEST_CASE("build_install_plans: a wiring whose queues don't pair is a usage error") {
  topologies().add("test_unanswered", one_sided({"E", "X"}));
  check_refused<UsageError>(algorithm("test_unanswered"), ExitCode::usage,
                            "sip0.cube0.pe0 sends X to sip1.cube0.pe0, which has no queue left that points "
                            "back");
}

TEST_CASE("build_install_plans: two queues of one label are a usage error") {
  topologies().add("test_twice", one_sided({"E", "E"}));
  check_refused<UsageError>(algorithm("test_twice"), ExitCode::usage,
                            "sip0.cube0.pe0 has two queues labelled E");
}

TEST_CASE("build_install_plans: rings in TCM take its bytes, all of a PE's together") {
  config::MachineSpec spec = machine(2);
  config::AlgorithmSpec two = algorithm("ring_1d", "leader_only");
  two.slot_size = 12_MiB / std::int64_t{8};  // two rings of four slots fill what there is
  CHECK(rings_in_tcm(two, spec) == 12_MiB);
  topology::MachineAllocators allocators{spec};
  CHECK(build_install_plans(two, spec, allocators).size() == 2);
  CHECK(allocators.pe({.sip = 1}).tcm.free_bytes() == 0_B);
  two.slot_size = 64_B;
  CHECK_THROWS_WITH_AS(
      (void)build_install_plans(two, spec, allocators),
      doctest::Contains("the rings of sip0.cube0.pe0 don't fit its TCM: one of 256 B more, and "
                        "0 B of 12 MiB are left"),
      UsageError);
  two.buffer_kind = config::BufferKind::hbm;
  CHECK(rings_in_tcm(two, spec) == 0_B);
  CHECK(build_install_plans(two, spec, allocators).size() == 2);
}
