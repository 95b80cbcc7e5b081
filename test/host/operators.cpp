// Operators on tensors: right numbers wherever the parts lie, and errors for operands that don't fit.
#include <algorithm>
#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include "operands.hpp"
#include "sanitized.hpp"

namespace kbsim::host::test::operators_test {

using namespace operands;

namespace {

const std::vector<DPPolicy> kOperandPlacements{
    {},
    {.num_cubes = 1, .num_pes = 1},
    {.cube = Split::row_wise, .pe = Split::row_wise},
    {.cube = Split::row_wise, .pe = Split::column_wise},
    {.pe = Split::column_wise, .num_cubes = 1, .num_pes = 3},
    {.cube = Split::tiled_row_major, .pe = Split::tiled_column_major, .tile = {.rows = 2, .cols = 3}}};
const std::vector<Shape> kOperandShapes{{1}, {7, 5}, {3, 2, 11}, {40, 300}};

struct PairCase {
  DPPolicy dp;
  Shape shape;
  DType dtype = f16;
};

Task<> adds_and_more(Rank& main, PairCase with) {
  const HostArray of_a = normal_numbers(with.shape, with.dtype, 1);
  const HostArray of_b = generate(with.shape, with.dtype, [](std::int64_t i) { return 1.0 + i % 3; });
  const Tensor a = co_await main.torch.from_host(of_a, {.dp = with.dp, .name = "a"});
  const Tensor b = co_await main.torch.from_host(of_b, {.dp = with.dp, .name = "b"});
  const Tensor sum = co_await (a + b);
  const Tensor difference = co_await (a - b);
  const Tensor product = co_await (a * b);
  const Tensor quotient = co_await (a / b);
  const Tensor less = co_await (1.0 - a);
  const Tensor half = co_await (a / 2);
  const std::vector<std::pair<Tensor, std::function<double(double, double)>>> all{
      {sum, [](double x, double y) { return x + y; }},
      {difference, [](double x, double y) { return x - y; }},
      {product, [](double x, double y) { return x * y; }},
      {quotient, [](double x, double y) { return x / y; }},
      {less, [](double x, double) { return 1.0 - x; }},
      {half, [](double x, double) { return x / 2; }}};
  const Doubles x = of_a.to_doubles();
  const Doubles y = of_b.to_doubles();
  for (const auto& [tensor, f] : all) {
    Doubles expected;
    for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(f(x[i], y[i]));
    CHECK(tensor.shards().size() == a.shards().size());
    const HostArray got = co_await tensor.to_host();
    check_close(got.to_doubles(), expected, rounding(with.dtype));
  }
}

Task<> applies_functions(Rank& main, DType dtype) {
  const HostArray numbers = normal_numbers({5, 33}, dtype, 3, 3.0);
  const Tensor x = co_await main.torch.from_host(numbers, {.dp = {.pe = Split::row_wise}, .name = "x"});
  const Tensor positive = co_await (host::abs(x) + 0.5);
  struct Row {
    std::string_view name;
    PendingTensor got;
    double (*f)(double);
    bool of_positive = false;
  };
  const std::vector<Row> rows{
      {"relu", relu(x), [](double v) { return std::max(v, 0.0); }},
      {"silu", silu(x), [](double v) { return v / (1 + std::exp(-v)); }},
      {"gelu", gelu(x), [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); }},
      {"gelu tanh", gelu(x, Approximate::tanh),
       [](double v) {
         return 0.5 * v * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (v + 0.044715 * v * v * v)));
       }},
      {"neg", -x, [](double v) { return -v; }},
      {"exp", host::exp(x), [](double v) { return std::exp(v); }},
      {"sin", host::sin(x), [](double v) { return std::sin(v); }},
      {"cos", host::cos(x), [](double v) { return std::cos(v); }},
      {"tanh", host::tanh(x), [](double v) { return std::tanh(v); }},
      {"sigmoid", sigmoid(x), [](double v) { return 1 / (1 + std::exp(-v)); }},
      {"log", host::log(positive), [](double v) { return std::log(v); }, true},
      {"sqrt", host::sqrt(positive), [](double v) { return std::sqrt(v); }, true},
      {"rsqrt", rsqrt(positive), [](double v) { return 1 / std::sqrt(v); }, true}};
  const HostArray of_positive = co_await positive.to_host();
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Tensor result = co_await row.got;
    const HostArray got = co_await result.to_host();
    Doubles expected = (row.of_positive ? of_positive : numbers).to_doubles();
    for (double& v : expected) v = row.f(v);
    check_close(got.to_doubles(), expected, rounding(dtype));
  }
}

struct RowCase {
  DPPolicy of_x;
  DPPolicy of_row;
  bool row_first = false;
};

Task<> adds_a_row(Rank& main, RowCase with) {
  const HostArray of_x = normal_numbers({6, 10}, f32, 5);
  const HostArray of_row = normal_numbers({10}, f32, 6);
  const Tensor x = co_await main.torch.from_host(of_x, {.dp = with.of_x, .name = "x"});
  const Tensor row = co_await main.torch.from_host(of_row, {.dp = with.of_row, .name = "row"});
  const PendingTensor pending = with.row_first ? row - x : x - row;
  const Tensor sum = co_await pending;
  Doubles expected = of_x.to_doubles();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] -= of_row.to_doubles()[i % 10];
    if (with.row_first) expected[i] = -expected[i];
  }
  const HostArray got = co_await sum.to_host();
  check_close(got.to_doubles(), expected, rounding(f32));
}

// Only the last operation is awaited.
Task<> chains(Rank& main, int) {
  const Tensor x = co_await main.torch.full({8, 16}, 2.0, f16, {.dp = kSplitRows, .name = "x"});
  const Tensor w = co_await main.torch.full({16, 4}, 0.5, f16, {.name = "w"});
  const Tensor b = co_await main.torch.full({4}, -20.0, f16, {.name = "b"});
  const Tensor y = co_await (relu(matmul(x, w) + b) - 1.0);
  const PendingTensor z = y * 3;
  const HostArray read = co_await z.tensor().to_host();
  CHECK(read.to_doubles() == Doubles(32, -3.0));
  const HostArray first = co_await y.to_host();
  CHECK(first.to_doubles() == Doubles(32, -1.0));
  co_await z;
}

// The operator reads what the copy writes; the copy isn't awaited.
Task<> follows_writers(Rank& main, int) {
  const Tensor x = co_await main.torch.zeros({8, 16}, f16, {.dp = kSplitRows, .name = "x"});
  const auto copied = x.copy_(host::full({8, 16}, 5.0, f16));
  const Tensor y = co_await (x + 1);
  const HostArray read = co_await y.to_host();
  CHECK(read.to_doubles() == Doubles(128, 6.0));
  co_await copied;
  const Tensor same = co_await add(x, y, {.out = x});
  const HostArray summed = co_await x.to_host();
  CHECK(summed.to_doubles() == Doubles(128, 11.0));
  CHECK(same.ptr() == x.ptr());
}

Task<> promotes(Rank& main, int) {
  const Tensor h = co_await main.torch.full({4}, 1.5, f16, {.name = "h"});
  const Tensor b = co_await main.torch.full({4}, 1.5, bf16, {.name = "b"});
  const Tensor i = co_await main.torch.full({4}, 7, i32, {.name = "i"});
  const Tensor mixed = co_await (h + b);
  CHECK(mixed.dtype() == f32);
  const Tensor with_integer = co_await (i * h);
  CHECK(with_integer.dtype() == f16);
  const Tensor tripled = co_await (i * 3);
  CHECK(tripled.dtype() == i32);
  const Tensor quotient = co_await (i / 2);
  CHECK(quotient.dtype() == f32);
  const Tensor scaled = co_await (i * 0.5);
  CHECK(scaled.dtype() == f32);
  const Tensor back = co_await cast(scaled, i32);
  const HostArray of_tripled = co_await tripled.to_host();
  const HostArray of_quotient = co_await quotient.to_host();
  const HostArray of_scaled = co_await scaled.to_host();
  const HostArray of_back = co_await back.to_host();
  const HostArray of_with_integer = co_await with_integer.to_host();
  CHECK(of_tripled.to_doubles() == Doubles(4, 21.0));
  CHECK(of_quotient.to_doubles() == Doubles(4, 3.5));
  CHECK(of_scaled.to_doubles() == Doubles(4, 3.5));
  CHECK(of_back.to_doubles() == Doubles(4, 3.0));
  CHECK(of_with_integer.to_doubles() == Doubles(4, 10.5));
}

// Slices and other shapes that lie whole on each PE.
Task<> takes_views(Rank& main, int) {
  const Tensor x = co_await main.torch.from_host(
      generate({6, 4}, f32, [](std::int64_t n) { return static_cast<double>(n); }), {.name = "x"});
  const Tensor rows = co_await (x[IndexRange{2, 4}] + 100);
  const HostArray of_rows = co_await rows.to_host();
  CHECK(of_rows.to_doubles() == Doubles{108, 109, 110, 111, 112, 113, 114, 115});
  const Tensor flat = co_await (x.view({24}) * 2);
  const HostArray of_flat = co_await flat.to_host();
  CHECK(of_flat.to_doubles()[23] == 46.0);
  const Tensor into = co_await sub(x[0], x[1], {.out = x[5]});
  const HostArray after = co_await x.to_host();
  CHECK(after.to_doubles()[20] == -4.0);
  CHECK(after.to_doubles()[19] == 19.0);
}

// A call that is refused, and a part of its text.
struct Misfit {
  std::function<PendingTensor(const Tensor&, const Tensor&)> call;
  std::string text;
  Shape of_a{4, 8};
  Shape of_b{8, 4};
  DPPolicy a_dp = {};
  DPPolicy b_dp = {};
  DType b_dtype = f16;
  int b_device = 0;
};

Task<> calls_misfit(Rank& main, const Misfit* misfit) {
  const Tensor a = co_await main.torch.zeros(misfit->of_a, f16, {.dp = misfit->a_dp, .name = "a"});
  main.ahbm.set_device(misfit->b_device);
  const Tensor b =
      co_await main.torch.zeros(misfit->of_b, misfit->b_dtype, {.dp = misfit->b_dp, .name = "b"});
  co_await misfit->call(a, b);
}

PendingTensor product_of_two(const Tensor& a, const Tensor& b) { return matmul(a, b); }
PendingTensor sum_of_two(const Tensor& a, const Tensor& b) { return a + b; }

}  // namespace

TEST_CASE("Operators: element by element, for every placement, shape and dtype") {
  kbsim::test::Sample sample{7};
  for (const DPPolicy& dp : kOperandPlacements) {
    for (const Shape& shape : kOperandShapes) {
      for (const DType dtype : {f16, bf16, f32, f64}) {
        if ((dtype != f16 && shape.elements() > 100) || sample.skips()) continue;
        CAPTURE(to_string(dtype));
        CAPTURE(to_string(shape));
        CAPTURE(topology::to_string(dp.cube));
        CAPTURE(topology::to_string(dp.pe));
        Program{eight_pes()}.run(adds_and_more, {dp, shape, dtype});
      }
    }
  }
}

TEST_CASE("Operators: functions of each element") {
  for (const DType dtype : {f16, bf16, f32}) {
    CAPTURE(to_string(dtype));
    Program{eight_pes()}.run(applies_functions, dtype);
  }
}

TEST_CASE("Operators: a row that each PE has is taken for all rows, from either side") {
  const DPPolicy columns{.pe = Split::column_wise};
  for (const bool row_first : {false, true}) {
    Program{eight_pes()}.run(adds_a_row, {{}, {}, row_first});
    Program{eight_pes()}.run(adds_a_row, {kSplitRows, {}, row_first});
    Program{eight_pes()}.run(adds_a_row, {kSplitColumns, {}, row_first});
    Program{eight_pes()}.run(adds_a_row, {columns, columns, row_first});
  }
}

TEST_CASE("Operators: they follow one another without awaits, and what was written before them") {
  Program{eight_pes()}.run(chains, 0);
  Program{eight_pes()}.run(follows_writers, 0);
}

TEST_CASE("Operators: dtypes promote as PyTorch's do") { Program{eight_pes()}.run(promotes, 0); }
TEST_CASE("Operators: views that each PE has whole are operands and results") {
  Program{eight_pes()}.run(takes_views, 0);
}

TEST_CASE("Operators: their results are given back") {
  Program program{eight_pes()};
  const Bytes hbm = program.session.allocators().pe({0, 0, 0}).hbm.free_bytes();
  program.run(chains, 0);
  CHECK(program.session.allocators().pe({0, 0, 0}).hbm.free_bytes() == hbm);
}

TEST_CASE("Operators: what doesn't fit is refused with both sides and a remedy") {
  const std::vector<Misfit> misfits{
      {.call = product_of_two, .text = "operators.cpp:", .a_dp = kSplitColumns, .b_dp = kSplitRows},
      {.call = product_of_two,
       .text = "matmul: 'a' of [4, 8] is placed {.cube = column_wise, .pe = column_wise}, 'b' of [8, 4] is "
               "placed {.cube = row_wise, .pe = row_wise}: a PE needs whole rows of 'a' and whole columns of "
               "'b'; place the first row_wise or replicate and the second column_wise or replicate",
       .a_dp = kSplitColumns,
       .b_dp = kSplitRows},
      {.call = sum_of_two,
       .text = "add: 'a' of [4, 8] is placed {.cube = row_wise, .pe = row_wise}, 'b' of [4, 8] is placed "
               "{.cube = column_wise, .pe = column_wise}: a PE needs the same elements of both",
       .of_b = {4, 8},
       .a_dp = kSplitRows,
       .b_dp = kSplitColumns},
      {.call = product_of_two,
       .text = "mat1 and mat2 shapes cannot be multiplied (4x8 and 9x4)",
       .of_b = {9, 4}},
      {.call = product_of_two,
       .text = "expected mat1 and mat2 to have the same dtype, but got: f16 != f32",
       .b_dtype = f32},
      {.call = sum_of_two, .text = "'a' is [4, 8], but 'b' is [8, 4]: shapes must be equal"},
      {.call = sum_of_two,
       .text = "Expected all tensors to be on the same device, but 'a' is on device 0 and 'b' on device 1",
       .of_b = {4, 8},
       .b_device = 1},
      {.call = [](const Tensor& a, const Tensor&) { return softmax(a); },
       .text =
           "softmax: 'a' of [4, 8] is placed {.cube = column_wise, .pe = column_wise}: a PE needs whole rows",
       .a_dp = kSplitColumns},
      {.call = [](const Tensor& a, const Tensor& b) { return rms_norm(a, b); },
       .text = "rms_norm: 'b' is [8, 4], expected [8]"},
      {.call = [](const Tensor& a, const Tensor& b) { return relu(a, {.out = b}); },
       .text = "relu: the result is [4, 8] f16, but out 'b' is [8, 4] f16"}};
  for (const Misfit& misfit : misfits) {
    const std::string text = Program{eight_pes(2)}.error(calls_misfit, &misfit, ExitCode::usage);
    CAPTURE(text);
    CHECK(text.find(misfit.text) != std::string::npos);
  }
}

}  // namespace kbsim::host::test::operators_test
