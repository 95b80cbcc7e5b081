// The weight-stationary systolic array: its closed form against an array that is clocked register by
// register.
#include <doctest/doctest.h>

#include "kbsim/hw/pe/i_gemm.hpp"

#include "harness.hpp"
#include "idle.hpp"

namespace kbsim::hw::test::systolic_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};

struct Array {
  int rows = 4;
  int cols = 4;
  bool hide = false;
};

config::MachineSpec machine_with(const Array& array, double freq = 1.0) {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_gemm = {.impl = "builtin.pe_gemm_systolic",
                     .attrs = {{"rows", std::int64_t{array.rows}},
                               {"cols", std::int64_t{array.cols}},
                               {"freq_ghz", freq},
                               {"hide_preload", array.hide}}};
  return spec;
}

// Streams m rows of ones, skewed, through an array of ones: activations go right, partial sums go down. The
// cycles until the last sum has left the last row.
std::int64_t clocked(std::int64_t m, int rows, int cols) {
  const auto at = [&](int r, int c) { return static_cast<std::size_t>(r * cols + c); };
  std::vector<int> activation(at(rows, 0));
  std::vector<int> sum(at(rows, 0));
  std::int64_t cycle = 0;
  for (std::int64_t left = m * cols; left > 0; ++cycle) {
    for (int r = rows - 1; r >= 0; --r) {
      const bool enters = cycle >= r && cycle - r < m;
      for (int c = cols - 1; c >= 0; --c) {
        activation[at(r, c)] = c > 0 ? activation[at(r, c - 1)] : int{enters};
        sum[at(r, c)] = (r > 0 ? sum[at(r - 1, c)] : 0) + activation[at(r, c)];
      }
    }
    for (int c = 0; c < cols; ++c) left -= sum[at(rows - 1, c)] == rows;
  }
  return cycle;
}

std::int64_t expected(std::int64_t m, std::int64_t k, std::int64_t n, const Array& array) {
  std::int64_t cycles = 0;
  for (std::int64_t row = 0; row < k; row += array.rows) {
    for (std::int64_t column = 0; column < n; column += array.cols) {
      const bool seen = !array.hide || cycles == 0;
      cycles += (seen ? array.rows : 0) + clocked(m, array.rows, array.cols);
    }
  }
  return cycles;
}

oplog::Op dot(const Shape& a, const Shape& b, const Shape& c) {
  return {.kind = oplog::OpKind::dot,
          .shape = c,
          .inputs = {{.slices = {}, .shape = a}, {.slices = {}, .shape = b}}};
}

struct NoArgs {};

Task<> dot_and_composite(TL& tl, NoArgs) {
  const Tile a = tl.zeros({40, 96}, f32);
  const Tile b = tl.zeros({96, 40}, f32);
  const Tile c = tl.dot(a, b);
  co_await tl.sync();
  co_await tl.composite({.op = Op::gemm, .a = a, .b = b, .depth = 2});
  co_return;
}

}  // namespace

TEST_CASE("Systolic array: the preload of each fold, then m + rows + cols - 2 cycles of streaming") {
  CHECK(clocked(32, 64, 64) == 32 + 64 + 64 - 2);
  for (const Array& array : {Array{1, 1}, Array{4, 4}, Array{3, 5}, Array{5, 2}, Array{4, 4, true}}) {
    Rig rig{machine_with(array)};
    const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
    for (const std::int64_t m : {1, 2, 9}) {
      for (const std::int64_t k : {1, 4, 5, 12}) {
        for (const std::int64_t n : {1, 4, 7, 10}) {
          CAPTURE(m);
          CAPTURE(k);
          CAPTURE(n);
          CHECK(gemm.tile_cost({m, k, n}) == expected(m, k, n, array) * 1_ns);
        }
      }
    }
  }
}

// SCALE-Sim (1d62b68), 32 x 32, weight-stationary. It doesn't count the cycle in which the last sum leaves.
TEST_CASE("Systolic array: cycles of SCALE-Sim, and the last one") {
  Rig rig{machine_with({.rows = 32, .cols = 32})};
  const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
  struct Measured {
    std::int64_t m, n, k, cycles;
  };
  for (const Measured& point : {Measured{49, 100, 33, 1143},
                                {64, 64, 64, 631},
                                {128, 96, 200, 4661},
                                {7, 300, 50, 2019},
                                {196, 128, 300, 11599}}) {
    CAPTURE(point.m);
    CHECK(gemm.tile_cost({.m = point.m, .k = point.k, .n = point.n}) == (point.cycles + 1) * 1_ns);
  }
}

TEST_CASE(
    "Systolic array: folds, edge folds and batches of a dot; the scheduler's tile makes no difference") {
  Rig rig{machine_with({8, 4}, 0.5)};
  const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
  CHECK(gemm.peak_macs_per_ns() == 8 * 4 * 0.5);
  const Time fold = 2 * (2 * 8 + 4 + 10 - 2) * 1_ns;  // of 10 rows, at half a GHz
  for (const hw::GemmTile& tile : {hw::GemmTile{1, 1, 1}, hw::GemmTile{32, 64, 32}}) {
    CHECK(gemm.cost(dot({10, 8}, {8, 4}, {10, 4}), tile) == fold);
    CHECK(gemm.cost(dot({10, 1}, {1, 1}, {10, 1}), tile) == fold);
    CHECK(gemm.cost(dot({10, 9}, {9, 13}, {10, 13}), tile) == 2 * 4 * fold);
    CHECK(gemm.cost(dot({3, 10, 8}, {3, 8, 4}, {3, 10, 4}), tile) == 3 * fold);
  }
}

TEST_CASE("Systolic array: hidden preloads cost one, however many folds") {
  Rig rig{machine_with({8, 4, true})};
  const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
  const Time stream = (10 + 8 + 4 - 2) * 1_ns;
  CHECK(gemm.tile_cost({10, 24, 8}) == 8_ns + 6 * stream);
}

TEST_CASE("Systolic array: dots and composites of a kernel take what it says") {
  const Array array{.rows = 16, .cols = 32};
  Rig rig{machine_with(array)};
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe),
                         bind_kernel("dot_and_composite", dot_and_composite, NoArgs{})));
  const auto& ops = rig.log.ops(rig.machine->lane(kPe));
  const auto product = std::ranges::find(ops, oplog::OpKind::dot, &oplog::Op::kind);
  REQUIRE(product != ops.end());
  CHECK(product->unit == rig.pe(kPe).gemm);
  CHECK(product->end - product->start == expected(40, 96, 40, array) * 1_ns);
  const auto tiles = hw::UnitUse{}.busy + expected(32, 64, 32, array) * 1_ns;  // of the scheduler's plan
  const Time busy = rig.machine->component(rig.pe(kPe).gemm).use().front().busy;
  CHECK(busy == expected(40, 96, 40, array) * 1_ns + 2 * 2 * 2 * tiles);
}

}  // namespace kbsim::hw::test::systolic_test
