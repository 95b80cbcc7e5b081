// Reductions, scans, softmax and topk against loops over single elements.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>

#include <doctest/doctest.h>

#include "kbsim/oplog/rules.hpp"
#include "kbsim/replay/compare_values.hpp"
#include "kbsim/replay/replay.hpp"

#include "graph.hpp"
#include "samples.hpp"

namespace kbsim::replay {
namespace {

using oplog::Nan;
using oplog::Operand;
using oplog::OpKind;
using oplog::ReduceOp;

constexpr std::array<DType, 4> kDTypesOfEverySize{DType::i8, f16, f32, f64};

struct Case {
  Shape shape;
  int axis;
  Numbers x;
};

Case random_case(Samples& samples, DType dtype) {
  const Shape shape = samples.shape(1 + samples.below(3));
  const bool integer = !info(dtype).floating;
  Numbers x = integer ? samples.small(shape.elements(), 100) : samples.numbers(shape.elements(), dtype);
  return {shape, samples.below(shape.rank()), x};
}

/// The lines along the axis, in the order of the reduced elements.
std::vector<Numbers> lines(const Case& c) {
  std::int64_t inner = 1;
  for (int i = c.axis + 1; i < c.shape.rank(); ++i) inner *= c.shape[i];
  const std::int64_t n = c.shape[c.axis];
  std::vector<Numbers> all(static_cast<std::size_t>(c.shape.elements() / n));
  for (std::int64_t i = 0; i < c.shape.elements(); ++i) {
    all[static_cast<std::size_t>(i / (inner * n) * inner + i % inner)].push_back(
        c.x[static_cast<std::size_t>(i)]);
  }
  return all;
}

template <class T>
double sum(const Numbers& line) {
  T all = static_cast<T>(line[0]);
  for (std::size_t i = 1; i < line.size(); ++i) all += static_cast<T>(line[i]);
  return static_cast<double>(all);
}

template <class T>
double prod(const Numbers& line) {
  T all = static_cast<T>(line[0]);
  for (std::size_t i = 1; i < line.size(); ++i) all *= static_cast<T>(line[i]);
  return static_cast<double>(all);
}

/// The index of the extreme, the first of equals; NaN is passed over, or wins.
std::size_t best(const Numbers& line, bool greatest, Nan nan) {
  const auto first_nan = std::ranges::find_if(line, [](double x) { return std::isnan(x); });
  if (nan == Nan::propagate && first_nan != line.end()) {
    return static_cast<std::size_t>(first_nan - line.begin());
  }
  std::size_t found = line.size();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (std::isnan(line[i])) continue;
    const bool better = found == line.size() || (greatest ? line[i] > line[found] : line[i] < line[found]);
    if (better) found = i;
  }
  return found == line.size() ? 0 : found;
}

Numbers reduced(const Case& c, Graph& g, const Operand& x, ReduceOp op, Nan nan, DType dtype, bool keep) {
  const Shape shape = oplog::reduced(c.shape, c.axis, keep);
  const Operand made =
      g.record(OpKind::reduce, {.reduce = op, .nan = nan, .axis = static_cast<std::int8_t>(c.axis)}, dtype,
               shape, {x});
  return to_doubles(Replay{g.log, 1}.evaluate(made), dtype);
}

void check_equal(const Numbers& actual, const Numbers& expected, DType dtype) {
  REQUIRE(from_doubles(actual, dtype) == from_doubles(expected, dtype));
}

template <class T>
void check_reductions(Samples& samples, DType dtype, DType result) {
  CAPTURE(to_string(dtype));
  const Case c = random_case(samples, dtype);
  CAPTURE(to_string(c.shape));
  CAPTURE(c.axis);
  Graph g;
  const Operand x = g.literal_of(c.x, c.shape, dtype);
  const bool keep = samples.below(2) == 0;
  const Nan nan = samples.below(2) == 0 ? Nan::ignore : Nan::propagate;
  Numbers sums;
  Numbers products;
  Numbers most;
  Numbers least_at;
  Numbers most_at;
  for (const Numbers& line : lines(c)) {
    sums.push_back(sum<T>(line));
    products.push_back(prod<T>(line));
    most.push_back(line[best(line, true, nan)]);
    least_at.push_back(static_cast<double>(best(line, false, nan)));
    most_at.push_back(static_cast<double>(best(line, true, nan)));
  }
  check_equal(reduced(c, g, x, ReduceOp::sum, nan, result, keep), sums, result);
  if (info(dtype).floating)
    check_equal(reduced(c, g, x, ReduceOp::prod, nan, result, keep), products, result);
  const Numbers greatest = reduced(c, g, x, ReduceOp::max, nan, result, keep);
  for (std::size_t i = 0; i < most.size(); ++i) {  // equal, but for the sign of a zero
    REQUIRE((greatest[i] == most[i] || (std::isnan(greatest[i]) && std::isnan(most[i]))));
  }
  check_equal(reduced(c, g, x, ReduceOp::argmin, nan, i32, keep), least_at, i32);
  check_equal(reduced(c, g, x, ReduceOp::argmax, nan, i32, keep), most_at, i32);
}

TEST_CASE("reduce: in ascending order of the index, in f32 or f64, and rounded once") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    for (const DType dtype : {f16, bf16, f32, DType::f8e5m2}) check_reductions<float>(samples, dtype, dtype);
    check_reductions<float>(samples, f16, f32);
    check_reductions<double>(samples, f32, f64);
    check_reductions<double>(samples, f64, f64);
    for (const DType dtype : {DType::i8, DType::i16, i32, DType::u8})
      check_reductions<double>(samples, dtype, i32);
    check_reductions<double>(samples, DType::i64, DType::i64);
  }
}

TEST_CASE("reduce: sums of integers wrap; zeros are ordered; f16 keeps what f16 sums would lose") {
  Graph g;
  const auto of = [&](const Numbers& x, ReduceOp op, DType from, DType to) {
    const Case c{{static_cast<std::int64_t>(x.size())}, 0, x};
    return reduced(c, g, g.literal(x, from), op, Nan::ignore, to, false)[0];
  };
  CHECK(of({2147483647, 1}, ReduceOp::sum, i32, i32) == -2147483648.0);
  CHECK(of({65536, 65536}, ReduceOp::prod, i32, i32) == 0);
  CHECK(std::signbit(of({-0.0, 0.0}, ReduceOp::min, f32, f32)));
  CHECK(!std::signbit(of({-0.0, 0.0}, ReduceOp::max, f32, f32)));
  CHECK(of(Numbers(4096, 1.0), ReduceOp::sum, f16, f16) == 4096);
}

/// Each element against a fold of the line up to it, from the front or from the back.
void check_scan(Samples& samples, OpKind kind, DType dtype, DType result, double (*fold)(const Numbers&)) {
  CAPTURE(to_string(kind));
  CAPTURE(to_string(result));
  const bool descends = kind == OpKind::cumsum_reverse || kind == OpKind::cumprod_reverse;
  const Case c = random_case(samples, dtype);
  Graph g;
  const Operand x = g.literal_of(c.x, c.shape, dtype);
  const Operand made = g.record(kind, {.axis = static_cast<std::int8_t>(c.axis)}, result, c.shape, {x});
  const Case scanned{c.shape, c.axis, to_doubles(Replay{g.log, 1}.evaluate(made), result)};
  const std::vector<Numbers> from = lines(c);
  const std::vector<Numbers> to = lines(scanned);
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t n = 0; n < from[i].size(); ++n) {
      const auto at = static_cast<std::ptrdiff_t>(n);
      Numbers part(from[i].begin(), from[i].begin() + at + 1);
      if (descends) part = Numbers(from[i].rbegin(), from[i].rend() - at);
      check_equal({to[i][n]}, {fold(part)}, result);
    }
  }
}

TEST_CASE("Scans: each element is the sum or product of all up to it, or from it on, rounded by itself") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    for (const DType dtype : {f16, f32}) {
      check_scan(samples, OpKind::cumsum, dtype, dtype, sum<float>);
      check_scan(samples, OpKind::cumsum_reverse, dtype, dtype, sum<float>);
      check_scan(samples, OpKind::cumprod, dtype, dtype, prod<float>);
      check_scan(samples, OpKind::cumprod_reverse, dtype, dtype, prod<float>);
    }
    check_scan(samples, OpKind::cumsum, f32, f64, sum<double>);
    check_scan(samples, OpKind::cumsum_reverse, DType::i8, i32, sum<double>);
  }
}

TEST_CASE("Slice: any dtype, shape and axis, element by element") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    const DType dtype = kDTypesOfEverySize[static_cast<std::size_t>(samples.below(4))];
    const Shape shape = samples.shape(1 + samples.below(4));
    const int axis = samples.below(shape.rank());
    const std::int64_t begin = samples.below(static_cast<int>(shape[axis]));
    const std::int64_t n = 1 + samples.below(static_cast<int>(shape[axis] - begin));
    const Numbers x = samples.small(shape.elements(), 100);
    Graph g;
    const oplog::Parameters params{.axis = static_cast<std::int8_t>(axis),
                                   .scalar = static_cast<double>(begin)};
    const Operand made = g.record(OpKind::slice, params, dtype, oplog::with_extent(shape, axis, n),
                                  {g.literal_of(x, shape, dtype)});
    std::int64_t inner = 1;
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
    Numbers expected;
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      const std::int64_t at = i / inner % shape[axis];
      if (begin <= at && at < begin + n) expected.push_back(x[static_cast<std::size_t>(i)]);
    }
    check_equal(to_doubles(Replay{g.log, 1}.evaluate(made), dtype), expected, dtype);
  }
}

TEST_CASE("softmax: lines are exponentials over their sum, whatever their size") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    const Shape shape = samples.shape(2);
    Numbers x(static_cast<std::size_t>(shape.elements()));
    for (double& v : x)
      v = samples.below(8) == 0 ? -INFINITY : static_cast<float>(samples.signed_unit() * 300);
    const Case c{shape, samples.below(2), x};
    Graph g;
    const Operand made = g.record(OpKind::softmax, {.axis = static_cast<std::int8_t>(c.axis)}, f32, shape,
                                  {g.literal_of(x, shape, f32)});
    const Case result{shape, c.axis, to_doubles(Replay{g.log, 1}.evaluate(made), f32)};
    const std::vector<Numbers> from = lines(c);
    const std::vector<Numbers> to = lines(result);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double most = *std::ranges::max_element(from[i]);
      double all = 0;
      for (const double v : from[i]) all += std::exp(v - most);
      Numbers expected;
      for (const double v : from[i]) expected.push_back(std::exp(v - most) / all);
      REQUIRE(compare(from_doubles(to[i], f32), expected, f32, {.abs = 1e-44, .rel = 2e-5}).ok);
    }
  }
}

TEST_CASE("topk: descending, the first of equals first, NaN last") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    const DType dtype = kFloats[static_cast<std::size_t>(samples.below(4))];
    const Shape shape = samples.shape(2);
    const Case c{shape, 1, samples.numbers(shape.elements(), dtype)};
    const std::int64_t k = 1 + samples.below(static_cast<int>(shape[1]));
    Graph g;
    const Operand x = g.literal_of(c.x, shape, dtype);
    const Operand values = g.record(OpKind::topk, {}, dtype, {shape[0], k}, {x});
    const Operand indices = g.record(OpKind::topk, {.indices = true}, i32, {shape[0], k}, {x});
    Numbers numbers;
    Numbers places;
    for (const Numbers& line : lines(c)) {
      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t i = 0; i < line.size(); ++i)
        order.emplace_back(std::isnan(line[i]) ? INFINITY : -line[i], i);
      std::ranges::sort(order, [&](const auto& a, const auto& b) {
        const bool na = std::isnan(line[a.second]);
        const bool nb = std::isnan(line[b.second]);
        return na != nb ? nb : a < b;
      });
      for (std::int64_t i = 0; i < k; ++i) {
        const std::size_t at = order[static_cast<std::size_t>(i)].second;
        numbers.push_back(line[at]);
        places.push_back(static_cast<double>(at));
      }
    }
    Replay replay{g.log, 1};
    REQUIRE(replay.evaluate(indices) == from_doubles(places, i32));
    REQUIRE(replay.evaluate(values) == from_doubles(numbers, dtype));
  }
}

}  // namespace
}  // namespace kbsim::replay
