// The systolic array and its dataflows: closed forms against an array that is clocked register by register.
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
  std::string dataflow = "weight_stationary";
};

config::MachineSpec machine_with(const Array& array, double freq = 1.0) {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_gemm = {.impl = "builtin.pe_gemm_systolic",
                     .attrs = {{"rows", std::int64_t{array.rows}},
                               {"cols", std::int64_t{array.cols}},
                               {"freq_ghz", freq},
                               {"dataflow", array.dataflow},
                               {"hide_preload", array.hide}}};
  return spec;
}

// Streams t rows of ones, skewed, through an array of ones that stay: operands go right, partial sums go
// down. The cycles until the last sum has left the last row.
std::int64_t operand_stays(std::int64_t t, int rows, int cols) {
  const auto at = [&](int r, int c) { return static_cast<std::size_t>(r * cols + c); };
  std::vector<int> operand(at(rows, 0));
  std::vector<int> sum(at(rows, 0));
  std::int64_t cycle = 0;
  for (std::int64_t left = t * cols; left > 0; ++cycle) {
    for (int r = rows - 1; r >= 0; --r) {
      const bool enters = cycle >= r && cycle - r < t;
      for (int c = cols - 1; c >= 0; --c) {
        operand[at(r, c)] = c > 0 ? operand[at(r, c - 1)] : int{enters};
        sum[at(r, c)] = (r > 0 ? sum[at(r - 1, c)] : 0) + operand[at(r, c)];
      }
    }
    for (int c = 0; c < cols; ++c) left -= sum[at(rows - 1, c)] == rows;
  }
  return cycle;
}

// Streams t pairs of ones, skewed: one operand goes right and the other down, and each cell adds up what
// meets in it. The cycles until the last cell has its sum, which leaves at once.
std::int64_t sums_stay(std::int64_t t, int rows, int cols) {
  const auto at = [&](int r, int c) { return static_cast<std::size_t>(r * cols + c); };
  std::vector<int> right(at(rows, 0));
  std::vector<int> down(at(rows, 0));
  std::vector<std::int64_t> sum(at(rows, 0));
  std::int64_t cycle = 0;
  for (std::int64_t left = std::int64_t{rows} * cols; left > 0; ++cycle) {
    const auto enters = [&](int skew) { return int{cycle >= skew && cycle - skew < t}; };
    for (int r = rows - 1; r >= 0; --r) {
      for (int c = cols - 1; c >= 0; --c) {
        right[at(r, c)] = c > 0 ? right[at(r, c - 1)] : enters(r);
        down[at(r, c)] = r > 0 ? down[at(r - 1, c)] : enters(c);
        CHECK(right[at(r, c)] == down[at(r, c)]);
        sum[at(r, c)] += right[at(r, c)];
        left -= right[at(r, c)] == 1 && sum[at(r, c)] == t;
      }
    }
  }
  return cycle;
}

std::int64_t expected(std::int64_t m, std::int64_t k, std::int64_t n, const Array& array) {
  const bool of_sums = array.dataflow == "output_stationary";
  const bool of_inputs = array.dataflow == "input_stationary";
  const std::int64_t along_rows = of_sums ? m : k;
  const std::int64_t along_cols = of_inputs ? m : n;
  std::int64_t cycles = 0;
  for (std::int64_t row = 0; row < along_rows; row += array.rows) {
    for (std::int64_t column = 0; column < along_cols; column += array.cols) {
      const bool loads = !of_sums && (!array.hide || cycles == 0);
      cycles += loads ? array.rows : 0;
      cycles += of_sums ? sums_stay(k, array.rows, array.cols)
                        : operand_stays(of_inputs ? n : m, array.rows, array.cols);
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

TEST_CASE("Systolic array: the preload of each fold, then t + rows + cols - 2 cycles of streaming") {
  CHECK(operand_stays(32, 64, 64) == 32 + 64 + 64 - 2);
  CHECK(sums_stay(32, 64, 48) == 32 + 64 + 48 - 2);
  for (const Array& array : {Array{1, 1}, Array{4, 4}, Array{3, 5}, Array{5, 2}, Array{4, 4, true},
                             Array{1, 1, false, "output_stationary"}, Array{3, 5, false, "output_stationary"},
                             Array{5, 2, false, "output_stationary"}, Array{1, 1, false, "input_stationary"},
                             Array{3, 5, false, "input_stationary"}, Array{5, 2, true, "input_stationary"}}) {
    CAPTURE(array.dataflow);
    CAPTURE(array.rows);
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

// SCALE-Sim (1d62b68), 32 x 32. It doesn't count the cycle in which the last sum leaves.
TEST_CASE("Systolic array: cycles of SCALE-Sim, and the last one, for each dataflow") {
  struct Measured {
    std::int64_t m, n, k;
    std::vector<std::int64_t> cycles;
  };
  const std::vector<Measured> points{{49, 100, 33, {1143, 759, 775}},
                                     {64, 64, 64, {631, 503, 631}},
                                     {128, 96, 200, {4661, 3143, 5319}},
                                     {7, 300, 50, {2019, 1119, 787}},
                                     {196, 128, 300, {11599, 10135, 15539}}};
  const std::vector<std::string> dataflows{"weight_stationary", "output_stationary", "input_stationary"};
  for (std::size_t i = 0; i < dataflows.size(); ++i) {
    CAPTURE(dataflows[i]);
    Rig rig{machine_with({.rows = 32, .cols = 32, .dataflow = dataflows[i]})};
    const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
    for (const Measured& point : points) {
      CAPTURE(point.m);
      CHECK(gemm.tile_cost({.m = point.m, .k = point.k, .n = point.n}) == (point.cycles[i] + 1) * 1_ns);
    }
  }
}

TEST_CASE("Systolic array: the peak and the terms of a cost are those of the clock, for each dataflow") {
  for (const char* dataflow : {"weight_stationary", "output_stationary", "input_stationary"}) {
    CAPTURE(dataflow);
    const Array array{.rows = 3, .cols = 5, .dataflow = dataflow};
    Rig rig{machine_with(array, 0.5)};
    const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
    CHECK(gemm.peak_macs_per_ns() == 3 * 5 * 0.5);
    const GemmTile tile{.m = 7, .k = 11, .n = 13};
    const std::vector<CostTerm> terms = gemm.cost_terms(gemm.tile_cost(tile), tile);
    REQUIRE(terms.size() == 1);
    CHECK(terms.front().key == "freq_ghz");
    CHECK(terms.front().times == 1);
    CHECK(terms.front().work == expected(7, 11, 13, array));
  }
}

TEST_CASE("Systolic array: hidden preloads of an array that preloads nothing are refused") {
  try {
    Rig rig{machine_with({.hide = true, .dataflow = "output_stationary"})};
    FAIL("accepted");
  } catch (const ConfigError& error) {
    const std::string said = error.what();
    CAPTURE(said);
    CHECK(said.find("pe_gemm.hide_preload: has no effect with dataflow: output_stationary") !=
          std::string::npos);
    CHECK(said.find("leave it out or choose weight_stationary or input_stationary") != std::string::npos);
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
  Rig of_inputs{machine_with({8, 4, true, "input_stationary"})};
  CHECK(of_inputs.machine->at<hw::IGemm>(of_inputs.pe(kPe).gemm).tile_cost({8, 24, 10}) == 8_ns + 6 * stream);
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
