#include "kbsim/evaluate/rehearsal.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/evaluate/matmul_run.hpp"

#include "support.hpp"

namespace kbsim::evaluate::test::rehearsal_test {

using namespace kbsim::evaluate::test;
using config::Collective;

namespace {

config::MachineSpec with_hbm(Bytes per_pe) {
  config::MachineSpec spec = machine(2);
  spec.cube.memory.hbm_per_pe = per_pe;
  return spec;
}

}  // namespace

TEST_CASE("Rehearsal: tensors take memory until it has no room; the refusal is the user's mistake") {
  const config::MachineSpec spec = with_hbm(64_KiB);
  const topology::DPPolicy one_pe{.num_cubes = 1, .num_pes = 1};
  Rehearsal rehearsal{spec};
  rehearsal.place(0, {32 * 1024}, f16, one_pe);
  rehearsal.place(1, {16 * 1024}, f16, one_pe);
  CHECK_THROWS_AS(rehearsal.place(1, {16 * 1024 + 1}, f16, one_pe), UsageError);
}

TEST_CASE("require_possible: a collective's tensors and rings fit, or the reason is reported") {
  const config::AlgorithmSpec ring = over_ring(Collective::all_reduce, "ring_allreduce");
  CHECK_NOTHROW(require_possible(with_hbm(64_KiB), ring, {.n_elem = 32 * 1024}));
  CHECK_THROWS_WITH_AS(
      require_possible(with_hbm(64_KiB), ring, {.n_elem = 32 * 1024 + 1}),
      "32769 elements of f16 a PE are more than its HBM slice, 64 KiB (cube.memory.hbm_bytes_per_pe)",
      UsageError);
  const config::AlgorithmSpec gather = over_ring(Collective::all_gather, "ring_all_gather");
  CHECK_NOTHROW(require_possible(with_hbm(60_KiB), gather, {.n_elem = 10 * 1024}));
  CHECK_THROWS_AS(require_possible(with_hbm(60_KiB), gather, {.n_elem = 10 * 1024 + 1}), UsageError);
  config::AlgorithmSpec many = ring;
  many.world_size = 1000;
  CHECK_THROWS_WITH_AS(
      require_possible(machine(2), many, CollectiveProblem{}),
      doctest::Contains("world_size 1000 of algorithm 'ring_allreduce' on a machine of 2 SIPs"), UsageError);
}

TEST_CASE("require_possible: a product's operands fit where they are put") {
  CHECK_NOTHROW(require_possible(machine(1), MatmulProblem{.m = 64, .k = 64, .n = 64}));
  CHECK_THROWS_AS(require_possible(with_hbm(4_KiB), MatmulProblem{.m = 64, .k = 64, .n = 64}), UsageError);
}

}  // namespace kbsim::evaluate::test::rehearsal_test
