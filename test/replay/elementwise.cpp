// Unary and ternary operations, comparisons and broadcasting against references of their own.
#include <cmath>
#include <functional>
#include <limits>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/rules.hpp"
#include "kbsim/replay/compare_values.hpp"
#include "kbsim/replay/replay.hpp"

#include "graph.hpp"
#include "samples.hpp"

namespace kbsim::replay {
namespace {

using oplog::BinaryOp;
using oplog::Operand;
using oplog::OpKind;
using oplog::TernaryOp;
using oplog::UnaryOp;

Buffer unary(UnaryOp op, const Numbers& x, DType dtype) {
  Graph g;
  const Shape shape{static_cast<std::int64_t>(x.size())};
  return Replay{g.log, 1}.evaluate(
      g.record(OpKind::unary, {.unary = op}, dtype, shape, {g.literal(x, dtype)}));
}

struct Function {
  UnaryOp op;
  long double (*exact)(long double);
};

const std::vector<Function> kFunctions{
    {UnaryOp::exp, [](long double x) { return std::exp(x); }},
    {UnaryOp::exp2, [](long double x) { return std::exp2(x); }},
    {UnaryOp::log, [](long double x) { return std::log(x); }},
    {UnaryOp::log2, [](long double x) { return std::log2(x); }},
    {UnaryOp::rsqrt, [](long double x) { return 1.0L / std::sqrt(x); }},
    {UnaryOp::sin, [](long double x) { return std::sin(x); }},
    {UnaryOp::cos, [](long double x) { return std::cos(x); }},
    {UnaryOp::tanh, [](long double x) { return std::tanh(x); }},
    {UnaryOp::sigmoid, [](long double x) { return 1.0L / (1.0L + std::exp(-x)); }},
    {UnaryOp::erf, [](long double x) { return std::erf(x); }},
    {UnaryOp::sqrt, [](long double x) { return std::sqrt(x); }},
    {UnaryOp::floor, [](long double x) { return std::floor(x); }},
    {UnaryOp::ceil, [](long double x) { return std::ceil(x); }},
    {UnaryOp::abs, [](long double x) { return std::abs(x); }},
    {UnaryOp::neg, [](long double x) { return -x; }},
};

TEST_CASE("unary: functions are within half an ulp of the exact value, for any number; f64 within two") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    for (const DType dtype : kFloats) {
      CAPTURE(to_string(dtype));
      const Numbers x = samples.numbers(1 + samples.below(3000), dtype);
      for (const Function& f : kFunctions) {
        CAPTURE(to_string(f.op));
        Numbers expected;
        for (const double v : x) expected.push_back(static_cast<double>(f.exact(v)));
        const Comparison c =
            compare(unary(f.op, x, dtype), expected, dtype, {.ulp = dtype == f64 ? 2.0 : 0.501});
        CAPTURE(x[static_cast<std::size_t>(std::max<std::int64_t>(c.first_bad, 0))]);
        REQUIRE(c.ok);
      }
    }
  }
}

TEST_CASE("unary: every code computes in every dtype that its row has") {
  for (const oplog::UnaryRow& row : oplog::kUnaryOps) {
    for (std::size_t i = 0; i < kDTypes.size(); ++i) {
      const auto dtype = static_cast<DType>(i);
      if (!includes(row.of, dtype)) continue;
      CAPTURE(row.name);
      CAPTURE(to_string(dtype));
      CHECK_NOTHROW((void)unary(row.op, {1.0}, dtype));
    }
  }
}

TEST_CASE("unary: integers wrap, bool inverts to the other truth value") {
  CHECK(unary(UnaryOp::neg, {1, -128, 0}, DType::i8) == from_doubles(Numbers{-1, -128, 0}, DType::i8));
  CHECK(unary(UnaryOp::abs, {1, -128, -7}, DType::i8) == from_doubles(Numbers{1, -128, 7}, DType::i8));
  CHECK(unary(UnaryOp::invert, {0, 5}, DType::u8) == from_doubles(Numbers{255, 250}, DType::u8));
  CHECK(unary(UnaryOp::invert, {0, -1}, i32) == from_doubles(Numbers{-1, 0}, i32));
  CHECK(unary(UnaryOp::invert, {0, 1}, DType::boolean) == from_doubles(Numbers{1, 0}, DType::boolean));
}

/// The index into an operand of the element that broadcasts to element `index` of `to`.
std::size_t source(const Shape& from, const Shape& to, std::int64_t index) {
  std::int64_t found = 0;
  std::int64_t stride = 1;
  for (int i = 1; i <= to.rank(); ++i) {
    const std::int64_t at = index % to[to.rank() - i];
    index /= to[to.rank() - i];
    if (i > from.rank()) continue;
    if (from[from.rank() - i] > 1) found += at * stride;
    stride *= from[from.rank() - i];
  }
  return static_cast<std::size_t>(found);
}

/// `shape` with some extents 1 and some leading axes gone.
Shape narrowed(Samples& samples, const Shape& shape) {
  Shape result = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (samples.below(3) == 0) result = oplog::with_extent(result, i, 1);
  }
  return Shape::of(result.extents().subspan(static_cast<std::size_t>(samples.below(shape.rank() + 1))));
}

TEST_CASE("binary: both inputs broadcast, at any rank and in comparisons too") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    const Shape whole = samples.shape(1 + samples.below(4));
    const Shape x = narrowed(samples, whole);
    const Shape y = narrowed(samples, whole);
    const Shape shape = oplog::broadcast(x, y).value();
    const Numbers a = samples.numbers(x.elements(), f32);
    const Numbers b = samples.numbers(y.elements(), f32);
    Graph g;
    const std::vector<Operand> inputs{g.literal_of(a, x, f32), g.literal_of(b, y, f32)};
    Replay replay{g.log, 1};
    const auto check = [&](BinaryOp op, DType dtype, const std::function<double(float, float)>& f) {
      CAPTURE(to_string(op));
      Numbers expected;
      for (std::int64_t i = 0; i < shape.elements(); ++i) {
        expected.push_back(
            f(static_cast<float>(a[source(x, shape, i)]), static_cast<float>(b[source(y, shape, i)])));
      }
      const Operand made = g.record(OpKind::binary, {.binary = op}, dtype, shape, inputs);
      REQUIRE(replay.evaluate(made) == from_doubles(expected, dtype));
    };
    check(BinaryOp::sub, f32, [](float p, float q) { return p - q; });
    check(BinaryOp::mod, f32, [](float p, float q) { return std::fmod(p, q); });
    check(BinaryOp::lt, DType::boolean, [](float p, float q) { return p < q; });
    check(BinaryOp::le, DType::boolean, [](float p, float q) { return p <= q; });
    check(BinaryOp::gt, DType::boolean, [](float p, float q) { return p > q; });
    check(BinaryOp::ge, DType::boolean, [](float p, float q) { return p >= q; });
    check(BinaryOp::eq, DType::boolean, [](float p, float q) { return p == q; });
    check(BinaryOp::ne, DType::boolean, [](float p, float q) { return p != q; });
  }
}

Buffer integers(BinaryOp op, const Numbers& a, const Numbers& b, DType dtype) {
  Graph g;
  return Replay{g.log, 1}.evaluate(g.binary(op, g.literal(a, dtype), g.literal(b, dtype)));
}

TEST_CASE("binary: remainders have the sign of the first, and no extreme traps") {
  CHECK(integers(BinaryOp::mod, {7, -7, 7, -7, -128}, {3, 3, -3, -3, -1}, DType::i8) ==
        from_doubles(Numbers{1, -1, 1, -1, 0}, DType::i8));
  CHECK_THROWS_AS(static_cast<void>(integers(BinaryOp::mod, {1}, {0}, i32)), KernelFault);
}

TEST_CASE("binary: shifts by all bits or more shift everything out, and keep the sign to the right") {
  const Numbers counts{0, 1, 7, 8, 100, -1};
  CHECK(integers(BinaryOp::shl, {3, 3, 3, 3, 3, 3}, counts, DType::i8) ==
        from_doubles(Numbers{3, 6, -128, 0, 0, 0}, DType::i8));
  CHECK(integers(BinaryOp::shr, {-5, -5, -5, -5, -5, -5}, counts, DType::i8) ==
        from_doubles(Numbers{-5, -3, -1, -1, -1, -1}, DType::i8));
  CHECK(integers(BinaryOp::shr, {200, 200, 200, 200, 200, 200}, {0, 1, 7, 8, 100, 255}, DType::u8) ==
        from_doubles(Numbers{200, 100, 1, 0, 0, 0}, DType::u8));
  CHECK(integers(BinaryOp::shr, {-5, -5, -5, -5}, {1, 31, 32, -1}, i32) ==
        from_doubles(Numbers{-3, -1, -1, -1}, i32));
  CHECK(integers(BinaryOp::shl, {3, 3, 3}, {1, 32, -1}, i32) == from_doubles(Numbers{6, 0, 0}, i32));
}

TEST_CASE("binary: bits combine in integers and bool") {
  CHECK(integers(BinaryOp::bit_and, {12, -1}, {10, 255}, i32) == from_doubles(Numbers{8, 255}, i32));
  CHECK(integers(BinaryOp::bit_or, {12, 1}, {10, 2}, DType::u8) == from_doubles(Numbers{14, 3}, DType::u8));
  CHECK(integers(BinaryOp::bit_xor, {1, 1, 0}, {1, 0, 0}, DType::boolean) ==
        from_doubles(Numbers{0, 1, 0}, DType::boolean));
}

TEST_CASE("binary: with Nan::propagate a NaN wins against any number") {
  Graph g;
  const Operand a = g.literal({NAN, 1, 2}, f16);
  const Operand b = g.literal({1, NAN, 3}, f16);
  const auto with = [&](oplog::Nan nan) {
    return g.record(OpKind::binary, {.binary = BinaryOp::maximum, .nan = nan}, f16, {3}, {a, b});
  };
  Replay replay{g.log, 1};
  CHECK(replay.evaluate(with(oplog::Nan::propagate)) == from_doubles(Numbers{NAN, NAN, 3}, f16));
  CHECK(replay.evaluate(with(oplog::Nan::ignore)) == from_doubles(Numbers{1, 1, 3}, f16));
}

TEST_CASE("ternary: fma rounds once, in every float dtype") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    for (const DType dtype : kFloats) {
      CAPTURE(to_string(dtype));
      const std::int64_t n = 1 + samples.below(300);
      const Numbers a = samples.numbers(n, dtype);
      const Numbers b = samples.numbers(n, dtype);
      const Numbers c = samples.numbers(n, dtype);
      Numbers expected;
      for (std::size_t i = 0; i < a.size(); ++i) {
        expected.push_back(dtype == f32 ? std::fma(static_cast<float>(a[i]), static_cast<float>(b[i]),
                                                   static_cast<float>(c[i]))
                                        : std::fma(a[i], b[i], c[i]));
      }
      Graph g;
      const Operand made = g.record(OpKind::ternary, {.ternary = TernaryOp::fma}, dtype, {n},
                                    {g.literal(a, dtype), g.literal(b, dtype), g.literal(c, dtype)});
      REQUIRE(compare(Replay{g.log, 1}.evaluate(made), expected, dtype,
                      {.ulp = dtype == f32 || dtype == f64 ? 0.0 : 0.5 + 1e-9})
                  .ok);
    }
  }
}

TEST_CASE("ternary: where moves elements of any dtype as they are, and all three broadcast") {
  for (const DType dtype : {f16, f32, f64, DType::i8, DType::boolean, DType::f8e4m3}) {
    CAPTURE(to_string(dtype));
    Graph g;
    const Operand condition = g.literal_of({1, 0}, {2, 1}, DType::boolean);
    const Operand x = g.literal_of({1, 0, 1}, {3}, dtype);
    const Operand y = g.literal_of({0}, {}, dtype);
    const Operand made =
        g.record(OpKind::ternary, {.ternary = TernaryOp::where}, dtype, {2, 3}, {condition, x, y});
    CHECK(Replay{g.log, 1}.evaluate(made) == from_doubles(Numbers{1, 0, 1, 0, 0, 0}, dtype));
  }
}

TEST_CASE("ternary: clamp ignores or propagates NaN") {
  Graph g;
  const Operand x = g.literal({-5, 0.5, 5, NAN}, f32);
  const auto with = [&](oplog::Nan nan) {
    return g.record(OpKind::ternary, {.ternary = TernaryOp::clamp, .nan = nan}, f32, {4},
                    {x, g.literal({-1}, f32), g.literal({1}, f32)});
  };
  Replay replay{g.log, 1};
  CHECK(replay.evaluate(with(oplog::Nan::ignore)) == from_doubles(Numbers{-1, 0.5, 1, -1}, f32));
  CHECK(replay.evaluate(with(oplog::Nan::propagate)) == from_doubles(Numbers{-1, 0.5, 1, NAN}, f32));
}

}  // namespace
}  // namespace kbsim::replay
