// cat, stack and where: each element by definition, wherever the parts lie.
#include <doctest/doctest.h>

#include "operands.hpp"
#include "random_views.hpp"

namespace kbsim::host::test::joining_test {

using namespace operands;

namespace {

HostArray counted(Shape shape, double first, DType dtype = f32) {
  return generate(shape, dtype, [first](std::int64_t i) { return first + static_cast<double>(i); });
}

Shape with_extent(const Shape& shape, int dim, std::int64_t extent) {
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  std::ranges::copy(shape.extents(), extents.begin());
  extents[static_cast<std::size_t>(dim)] = extent;
  return Shape::of({extents.data(), static_cast<std::size_t>(shape.rank())});
}

// Elements of row-major parts that are joined along an axis, with `before` elements ahead of it and rows of
// these sizes.
Doubles interleaved(const std::vector<Doubles>& parts, std::int64_t outer) {
  Doubles all;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const Doubles& part : parts) {
      const auto row = static_cast<std::ptrdiff_t>(part.size()) / outer;
      all.insert(all.end(), part.begin() + o * row, part.begin() + (o + 1) * row);
    }
  }
  return all;
}

struct Drawn {
  std::uint64_t seed = 0;
  int cases = 0;
};

Task<> random_joins(Rank& main, Drawn drawn) {
  Random random{drawn.seed};
  for (int i = 0; i < drawn.cases; ++i) {
    const Shape shape = random_shape(random);
    const int dim = static_cast<int>(random.below(static_cast<std::uint64_t>(shape.rank())));
    const bool stacks = random.below(2) == 0 && shape.rank() < Shape::kMaxRank;
    CAPTURE(drawn.seed);
    CAPTURE(i);
    CAPTURE(kbsim::to_string(shape));
    std::vector<TensorOperand> tensors;
    std::vector<Doubles> parts;
    const std::uint64_t count = 1 + random.below(4);
    for (std::uint64_t t = 0; t < count; ++t) {
      const auto extent = static_cast<std::int64_t>(1 + random.below(6));
      const HostArray numbers =
          counted(stacks ? shape : with_extent(shape, dim, extent), 1000.0 * static_cast<double>(t));
      parts.push_back(numbers.to_doubles());
      const Tensor x = co_await main.torch.from_host(numbers, {.dp = random_policy(random), .name = "x"});
      tensors.emplace_back(x);
    }
    std::int64_t outer = 1;
    for (int d = 0; d < dim; ++d) outer *= shape[d];
    const int named = random.below(2) == 0 ? dim : dim - shape.rank() - (stacks ? 1 : 0);
    const PendingTensor pending = stacks ? stack(tensors, named) : cat(tensors, named);
    const HostArray early = co_await pending.tensor().to_host();  // waits for the copies
    const Tensor y = co_await pending;
    CHECK(early.to_doubles() == interleaved(parts, outer));
    CHECK(y.shape().rank() == shape.rank() + (stacks ? 1 : 0));
  }
}

Task<> joins_a_vector(Rank& main, int) {
  std::vector<Tensor> rows;
  for (int i = 0; i < 3; ++i) {
    const Tensor row = co_await main.torch.full({2}, i, f32, {.dp = kOnePe});
    rows.push_back(row);
  }
  const Tensor all = co_await stack(rows, 1);
  const HostArray got = co_await all.to_host();
  CHECK(got.to_doubles() == Doubles{0, 1, 2, 0, 1, 2});
}

Task<> joins_pending(Rank& main, int) {
  const Tensor x = co_await main.torch.from_host(counted({2, 3}, 0), {.dp = kOnePe});
  const Tensor out = co_await main.torch.zeros({4, 3}, f32, {.dp = kSplitRows, .name = "out"});
  const Tensor y = co_await relu(cat({x + 1, x * 2.0}, 0, {.out = out}) - 3);
  const HostArray got = co_await y.to_host();
  CHECK(got.to_doubles() == Doubles{0, 0, 0, 1, 2, 3, 0, 0, 1, 3, 5, 7});
}

struct Where {
  Shape shape;
  DPPolicy dp = {};
  DType dtype = f32;
};

Task<> chooses(Rank& main, Where with) {
  const auto bit = [](std::int64_t i) { return i % 3 == 0 ? 1.0 : 0.0; };
  const std::int64_t n = with.shape[with.shape.rank() - 1];
  const HostArray of_x = counted(with.shape, 1, with.dtype);
  const HostArray of_y = counted(with.shape, -500, with.dtype);
  const Tensor c = co_await main.torch.from_host(generate(with.shape, DType::boolean, bit), {.dp = with.dp});
  const Tensor x = co_await main.torch.from_host(of_x, {.dp = with.dp});
  const Tensor y = co_await main.torch.from_host(of_y, {.dp = with.dp});
  const Tensor row = co_await main.torch.from_host(counted({n}, 7, with.dtype), {});
  const Tensor c_row = co_await main.torch.from_host(generate({n}, DType::boolean, bit), {});
  struct Row {
    PendingTensor got;
    std::function<double(std::int64_t)> expected;
  };
  const auto xs = of_x.to_doubles();
  const auto ys = of_y.to_doubles();
  const auto at = [](const Doubles& from, std::int64_t i) { return from[static_cast<std::size_t>(i)]; };
  const std::vector<Row> rows{
      {where(c, x, y), [&](std::int64_t i) { return bit(i) != 0.0 ? at(xs, i) : at(ys, i); }},
      {where(c, x, 3), [&](std::int64_t i) { return bit(i) != 0.0 ? at(xs, i) : 3.0; }},
      {where(c, 0, y), [&](std::int64_t i) { return bit(i) != 0.0 ? 0.0 : at(ys, i); }},
      {where(c, 1.0, 0.0), [&](std::int64_t i) { return bit(i); }},
      {where(c, row, y), [&](std::int64_t i) { return bit(i) != 0.0 ? 7.0 + i % n : at(ys, i); }},
      {where(c_row, x, row), [&](std::int64_t i) { return bit(i % n) != 0.0 ? at(xs, i) : 7.0 + i % n; }}};
  for (const Row& one : rows) {
    const Tensor result = co_await one.got;
    const HostArray got = co_await result.to_host();
    Doubles expected;
    for (std::int64_t i = 0; i < with.shape.elements(); ++i) expected.push_back(one.expected(i));
    CHECK(got.to_doubles() == expected);
  }
}

struct Refused {
  int which = 0;
};
Task<> refuses(Rank& main, Refused of) {
  const Tensor x = co_await main.torch.zeros({4, 8}, f32, {.dp = kOnePe, .name = "x"});
  const Tensor y = co_await main.torch.zeros({5, 8}, f32, {.dp = kOnePe, .name = "y"});
  const Tensor h = co_await main.torch.zeros({4, 8}, f16, {.dp = kOnePe, .name = "h"});
  const Tensor c = co_await main.torch.zeros({4, 8}, DType::boolean, {.name = "c"});
  main.ahbm.set_device(1);
  const Tensor z = co_await main.torch.zeros({4, 8}, f32, {.dp = kOnePe, .name = "z"});
  switch (of.which) {
    case 0: co_await cat({x, y}, 1); break;
    case 1: co_await stack({x, y}); break;
    case 2: co_await cat({x, h}); break;
    case 3: co_await cat({x, z}); break;
    case 4: co_await cat({x}, 2); break;
    case 5: co_await cat({}); break;
    case 6: co_await cat({x, x}, 0, {.out = y}); break;
    case 7: co_await where(x, x, x); break;
    case 8: co_await where(c, 1, y); break;
    default: break;
  }
}

}  // namespace

TEST_CASE("cat and stack: random shapes, dimensions and placements, by definition") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) Program{}.run(random_joins, {.seed = seed, .cases = 30});
}

TEST_CASE("cat: takes results that aren't computed yet, and is taken likewise; out is written") {
  Program{eight_pes()}.run(joins_pending, 0);
  Program{eight_pes()}.run(joins_a_vector, 0);
}

TEST_CASE("where: tensors, rows and numbers, by definition") {
  for (const Where& with : {Where{{1}, {}}, Where{{5, 7}, kSplitRows}, Where{{5, 7}, kSplitColumns, f16},
                            Where{{40, 300}, kSplitRows, f16}, Where{{3, 2, 11}, kOnePe, i32}}) {
    CAPTURE(kbsim::to_string(with.shape));
    CHECK(Program{eight_pes()}.error(chooses, with, ExitCode::usage) == "");
  }
}

TEST_CASE("cat, stack and where: operands that don't fit are refused by name") {
  const auto error = [](int which) { return Program{}.error(refuses, Refused{which}, ExitCode::usage); };
  CHECK(error(0).ends_with("cat: 'x' is [4, 8], but 'y' is [5, 8]"));
  CHECK(error(1).ends_with("stack: 'x' is [4, 8], but 'y' is [5, 8]"));
  CHECK(error(2).ends_with("cat: 'x' is f32, but 'h' is f16; cast one"));
  CHECK(error(3).find("Expected all tensors to be on the same device") != std::string::npos);
  CHECK(error(4).ends_with("Dimension out of range (expected to be in range of [-2, 1], but got 2)"));
  CHECK(error(5).ends_with("cat: expected a non-empty list of tensors"));
  CHECK(error(6).ends_with("cat: the result is [8, 8] f32, but out 'y' is [5, 8] f32"));
  CHECK(error(7).ends_with("where expected condition to be a boolean tensor, but 'x' is f32"));
  CHECK(error(8).find("'c' is [4, 8], but 'y' is [5, 8]") != std::string::npos);
}

}  // namespace kbsim::host::test::joining_test
