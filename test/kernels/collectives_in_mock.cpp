// Every algorithm of configs/ccl.yaml without a machine: all sizes of worlds, slots and vectors.
#include <doctest/doctest.h>

#include "collectives.hpp"
#include "sanitized.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

void check_right(const Collective& c) {
  CAPTURE(c.algorithm.name);
  CAPTURE(c.machine.system.sips.count);
  CAPTURE(c.algorithm.n_slots);
  CAPTURE(c.n_elem);
  CAPTURE(c.root);
  const PerRank in = inputs(c);
  const PerRank out = in_mock(c, in);
  REQUIRE(out == expected(c, in));
}

}  // namespace

TEST_CASE("Collectives in the mock: each algorithm is right in every world, with any slots and any size") {
  kbsim::test::Sample sample{5};
  for (const std::string& name : algorithm_names()) {
    for (const int world : {1, 2, 3, 4, 6, 7, 8, 9, 16}) {
      for (const int slots : {1, 2, 4}) {
        for (const std::int64_t n : {1, 7, 8, 1000}) {
          if (sample.skips()) continue;
          check_right(collective(name, machine_of(world, 2, 1), slots, n));
        }
      }
    }
  }
}

TEST_CASE("Collectives in the mock: intercube and hierarchical on every mesh of cubes and grid of packages") {
  kbsim::test::Sample sample{7};
  for (const char* name : {"intercube_allreduce", "hierarchical_allreduce"}) {
    for (const auto& [w, h] : {std::pair{1, 1}, {1, 3}, {3, 2}, {4, 4}}) {
      for (const config::SipTopology joined : {config::SipTopology::ring_1d, config::SipTopology::torus_2d,
                                               config::SipTopology::mesh_2d_no_wrap}) {
        for (const int world : {1, 2, 4, 6, 7}) {
          if (sample.skips()) continue;
          config::MachineSpec machine = machine_of(world, w, h);
          machine.system.sips.topology = joined;
          CAPTURE(joined);
          check_right(collective(name, machine, 1, 200));
        }
      }
    }
  }
}

TEST_CASE("Collectives in the mock: every reduction in every dtype that has it") {
  for (const std::string& name : algorithm_names()) {
    for (const Reduction op :
         {Reduction::sum, Reduction::max, Reduction::min, Reduction::prod, Reduction::avg}) {
      for (const DType dtype : {f16, DType::bf16, f32, DType::i32}) {
        if (op == Reduction::avg && dtype == DType::i32) continue;
        Collective c = collective(name, machine_of(4), 2, 100);
        c.op = op;
        c.dtype = dtype;
        CAPTURE(static_cast<int>(op));
        check_right(c);
      }
    }
  }
}

namespace {

// The collective with a TCM of `tcm` bytes; half of them are the scheduler's, besides the rings.
Collective in_tcm_of(const std::string& name, config::MachineSpec machine, Bytes tcm, std::int64_t n) {
  Collective c = collective(name, machine, 2, n);
  c.machine.cube.memory.tcm = tcm;
  c.machine.cube.memory.tcm_scheduler = tcm / 2;
  return c;
}

}  // namespace

TEST_CASE(
    "Collectives in the mock: all that take part cut the same windows, whatever the TCM and the vector") {
  kbsim::test::Sample sample{5};
  for (const std::string& name : algorithm_names()) {
    for (const Bytes tcm : {16_KiB, 20_KiB, 64_KiB}) {
      for (const std::int64_t n : {1, 100, 400, 700, 1000, 1400, 2100, 3001, 10'007}) {
        if (kbsim::test::kSanitized && n > 1000) continue;
        for (const config::SipTopology joined : {config::SipTopology::ring_1d, config::SipTopology::torus_2d,
                                                 config::SipTopology::mesh_2d_no_wrap}) {
          if (sample.skips()) continue;
          config::MachineSpec machine = machine_of(6, 2, 2);
          machine.system.sips.topology = joined;
          CAPTURE(joined);
          CAPTURE(tcm.count());
          check_right(in_tcm_of(name, machine, tcm, n));
        }
      }
    }
  }
}

TEST_CASE("Collectives in the mock: a TCM without room for what is on its way is refused") {
  for (const std::string& name : algorithm_names()) {
    Collective c = in_tcm_of(name, machine_of(3), 16_KiB, 100);
    c.algorithm.buffer_kind = config::BufferKind::hbm;
    c.machine.cube.memory.tcm_scheduler = c.machine.cube.memory.tcm - 32_B;
    CAPTURE(name);
    CHECK_THROWS_WITH_AS((void)in_mock(c, inputs(c)), doctest::Contains("raise cube.memory.tcm_bytes"),
                         Error);
  }
}
