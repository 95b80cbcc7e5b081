// Results of each call of the vocabulary: shapes and dtypes. Every command is recorded, and so checked.
#include <cmath>
#include <type_traits>

#include <doctest/doctest.h>

#include "fake_pe.hpp"

namespace kbsim::test::vocabulary_test {
namespace {

struct Vocabulary {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};

  Tile tile(Shape shape, DType dtype) { return tl.zeros(shape, dtype); }
  Tile one(DType dtype) { return tile({2}, dtype); }
};

constexpr DType boolean = DType::boolean;
constexpr DType e4 = DType::f8e4m3;
constexpr DType e5 = DType::f8e5m2;

// A Tile has no value yet, so `if (a < b)` must not compile.
static_assert(!std::is_constructible_v<bool, Tile>);
static_assert(!std::is_constructible_v<bool, decltype(std::declval<Tile>() < std::declval<Tile>())>);
template <class T>
concept Answers = requires(T a) { !a; } || requires(T a) { a&& a; } || requires(T a) { a == a; };
static_assert(!Answers<Tile> && Answers<bool>);

struct Pair {
  DType a, b, sum;
};

}  // namespace

TEST_CASE("Promotion: two tiles, as Triton's code does it") {
  Vocabulary v;
  for (const Pair& p : {Pair{f64, e4, f64}, Pair{f32, f16, f32}, Pair{f32, i64, f32}, Pair{f16, bf16, f16},
                        Pair{f16, i32, f16}, Pair{f16, e5, f16}, Pair{bf16, bf16, bf16}, Pair{bf16, i32, f32},
                        Pair{bf16, e4, f32}, Pair{e4, e4, e4}, Pair{e4, e5, f16}, Pair{i8, i16, i16},
                        Pair{i8, u8, u8}, Pair{i16, u8, i16}, Pair{i64, i32, i64}, Pair{boolean, i8, i8},
                        Pair{boolean, u8, u8}, Pair{boolean, f16, f16}}) {
    CAPTURE(to_string(p.a));
    CAPTURE(to_string(p.b));
    CHECK((v.one(p.a) + v.one(p.b)).dtype() == p.sum);
    CHECK((v.one(p.b) * v.one(p.a)).dtype() == p.sum);
    CHECK((v.one(p.a) < v.one(p.b)).dtype() == boolean);
  }
}

TEST_CASE("Promotion: / of integers and of f16, bf16 gives f32; % of integers stays") {
  Vocabulary v;
  CHECK((v.one(i32) / v.one(i32)).dtype() == f32);
  CHECK((v.one(f16) / v.one(f16)).dtype() == f32);
  CHECK((v.one(bf16) % v.one(bf16)).dtype() == f32);
  CHECK((v.one(f16) / 2.0).dtype() == f32);
  CHECK((v.one(f64) / v.one(f16)).dtype() == f64);
  CHECK((v.one(i8) % v.one(i32)).dtype() == i32);
  CHECK(v.tl.floordiv(v.one(i32), 3).dtype() == i32);
}

TEST_CASE("Promotion: a number takes the tile's dtype, unless it is of a higher kind") {
  Vocabulary v;
  CHECK((v.one(f16) + 1).dtype() == f16);
  CHECK((2.5 * v.one(bf16)).dtype() == bf16);
  CHECK((v.one(e4) * 2.0).dtype() == e4);
  CHECK((1 - v.one(u8)).dtype() == u8);
  CHECK((v.one(i8) + true).dtype() == i8);
  CHECK((v.one(i32) * 0.5).dtype() == f32);
  CHECK((v.one(i8) * 1e300).dtype() == f64);
  CHECK((v.one(boolean) + 1).dtype() == i32);
  CHECK((v.one(boolean) + (std::int64_t{1} << 40)).dtype() == i64);
  CHECK((v.one(boolean) * 1.5F).dtype() == f32);
  CHECK(v.pe.commands.back().inputs[1]->shape() == Shape{});
}

TEST_CASE("Promotion: maximum, minimum and clamp of bf16 give f32") {
  Vocabulary v;
  CHECK(v.tl.maximum(v.one(bf16), v.one(bf16)).dtype() == f32);
  CHECK(v.tl.minimum(v.one(bf16), 0.0).dtype() == f32);
  CHECK(v.tl.clamp(v.one(bf16), 0, 1).dtype() == f32);
  CHECK(v.tl.maximum(v.one(f16), 0.0).dtype() == f16);
  CHECK(v.tl.clamp(v.one(f16), 0, 1).dtype() == f16);
  CHECK(v.tl.fma(v.one(f16), v.one(f32), 1).dtype() == f32);
  CHECK(v.tl.where(v.one(boolean), v.one(f16), 0.0).dtype() == f16);
  CHECK(v.tl.where(v.one(boolean), 1, 0).dtype() == i32);
}

TEST_CASE("Operators: shapes broadcast from the last axis on") {
  Vocabulary v;
  const Tile a = v.tile({4, 1, 3}, f32);
  CHECK((a + v.tile({5, 1}, f32)).shape() == Shape{4, 5, 3});
  CHECK((v.tile({3}, f32) - a).shape() == Shape{4, 1, 3});
  CHECK((a >= 1).shape() == Shape{4, 1, 3});
  CHECK(v.tl.where(v.tile({2, 1}, boolean), v.tile({3}, f32), 0.0).shape() == Shape{2, 3});
  CHECK(v.tl.fma(v.tile({2, 1}, f32), v.tile({3}, f32), v.tile({1}, f32)).shape() == Shape{2, 3});
}

TEST_CASE("Operators: bits, shifts, signs, and assignment") {
  Vocabulary v;
  const Tile n = v.one(i32);
  CHECK((n & 3).dtype() == i32);
  CHECK((n | v.one(u8)).dtype() == i32);
  CHECK((v.one(boolean) ^ v.one(boolean)).dtype() == boolean);
  CHECK((1 << n).dtype() == i32);
  CHECK((n >> 2).dtype() == i32);
  CHECK((~v.one(boolean)).dtype() == boolean);
  CHECK((-v.one(f16)).dtype() == f16);
  Tile x = v.one(f32);
  x -= 1;
  x *= v.one(f32);
  x /= 2;
  CHECK(v.pe.commands.back().params.binary == oplog::BinaryOp::div);
  CHECK(x.shape() == Shape{2});
  CHECK(v.tl.eq(n, 1).dtype() == boolean);
  CHECK(v.tl.ne(n, 1).dtype() == boolean);
}

TEST_CASE("Functions: keep shape and dtype") {
  Vocabulary v;
  using Function = Tile (TL::*)(const Tile&, std::source_location);
  for (const Function f : {&TL::abs, &TL::exp, &TL::exp2, &TL::log, &TL::log2, &TL::sqrt, &TL::rsqrt,
                           &TL::sin, &TL::cos, &TL::tanh, &TL::sigmoid, &TL::erf, &TL::floor, &TL::ceil}) {
    for (const DType dtype : {f16, bf16, f32, f64, e4, e5}) {
      const Tile y = (v.tl.*f)(v.tile({3, 5}, dtype), std::source_location::current());
      CHECK(y.shape() == Shape{3, 5});
      CHECK(y.dtype() == dtype);
    }
  }
  CHECK(v.tl.abs(v.one(i8)).dtype() == i8);
  CHECK(v.tl.softmax(v.tile({3, 5}, f16), {.axis = -1}).shape() == Shape{3, 5});
}

TEST_CASE("Shapes: views cost no command, what moves elements costs one") {
  Vocabulary v;
  const Tile x = v.tile({2, 3, 5}, f32);
  v.pe.commands.clear();
  CHECK(v.tl.reshape(x, {30}).shape() == Shape{30});
  CHECK(v.tl.unsqueeze(x, 0).shape() == Shape{1, 2, 3, 5});
  CHECK(v.tl.unsqueeze(x, -1).shape() == Shape{2, 3, 5, 1});
  CHECK(x.bitcast(i32).dtype() == i32);
  CHECK(v.tl.broadcast_to(x, {2, 3, 5}).state() == x.state());
  CHECK(v.tl.slice(x, {.axis = 1}).state() == x.state());
  CHECK(v.tl.slice(x, {.axis = 1, .begin = 0, .end = 3}).state() == x.state());
  CHECK(v.pe.commands.empty());
  CHECK(v.tl.trans(x).shape() == Shape{2, 5, 3});
  CHECK(v.tl.permute(x, {2, 0, 1}).shape() == Shape{5, 2, 3});
  CHECK(v.tl.permute(x, {-1, 0, 1}).shape() == Shape{5, 2, 3});
  CHECK(v.tl.broadcast_to(v.tile({2, 1}, f32), {2, 7}).shape() == Shape{2, 7});
  CHECK(v.tl.cat(x, v.tile({2, 4, 5}, f32), {.axis = 1}).shape() == Shape{2, 7, 5});
  CHECK(v.tl.slice(x, {.axis = 1, .begin = 1}).shape() == Shape{2, 2, 5});
  CHECK(v.tl.slice(x, {.axis = -1, .begin = 1, .end = 3}).shape() == Shape{2, 3, 2});
  CHECK(v.pe.commands.back().params.axis == 2);
  CHECK(v.pe.commands.back().params.scalar == 1);
  CHECK(v.tl.arange(-2, 5).shape() == Shape{7});
  CHECK(v.tl.arange(-2, 5).dtype() == i32);
}

TEST_CASE("Reductions: dtypes as Triton's code gives them, the axis gone or kept") {
  Vocabulary v;
  const auto x = [&](DType dtype) { return v.tile({4, 6}, dtype); };
  CHECK(v.tl.sum(x(f16), {.axis = 1}).shape() == Shape{4});
  CHECK(v.tl.sum(x(f16), {.axis = -2, .keep_dims = true}).shape() == Shape{1, 6});
  CHECK(v.tl.sum(x(f16), {.axis = 0}).dtype() == f16);
  CHECK(v.tl.sum(x(i8), {.axis = 0}).dtype() == i32);
  CHECK(v.tl.sum(x(i64), {.axis = 0}).dtype() == i64);
  CHECK(v.tl.prod(x(u8), {.axis = 0}).dtype() == i32);
  CHECK(v.tl.max(x(f16), {.axis = 0}).dtype() == f32);
  CHECK(v.tl.min(x(boolean), {.axis = 0}).dtype() == i32);
  CHECK(v.tl.max(x(f64), {.axis = 0, .nan = Nan::propagate}).dtype() == f64);
  CHECK(v.tl.argmax(x(f16), {.axis = 1}).dtype() == i32);
  CHECK(v.tl.argmin(x(f64), {.axis = 1, .keep_dims = true}).shape() == Shape{4, 1});
  CHECK(v.tl.cumsum(x(bf16), {.axis = 1}).dtype() == f32);
  CHECK(v.tl.cumsum(x(i16), {.axis = 1}).dtype() == i32);
  CHECK(v.tl.cumsum(x(f16), {.axis = 1, .reverse = true}).dtype() == f16);
  CHECK(v.pe.commands.back().kind == oplog::OpKind::cumsum_reverse);
  CHECK(v.tl.cumprod(x(bf16), {.axis = 0}).dtype() == f32);
  CHECK(v.tl.cumprod(x(u8), {.axis = 0, .reverse = true}).dtype() == i32);
  const TopK best = v.tl.topk(x(f16), 2);
  CHECK(best.values.shape() == Shape{4, 2});
  CHECK(best.values.dtype() == f16);
  CHECK(best.indices.dtype() == i32);
}

TEST_CASE("associative_scan: a step per doubling, each of three slices, the function and a cat") {
  Vocabulary v;
  const auto add = [](TL&, const Tile& a, const Tile& b) { return a + b; };
  for (const auto& [n, steps] : {std::pair{1, 0}, {2, 1}, {3, 2}, {8, 3}, {9, 4}}) {
    const Tile x = v.tile({3, n}, f32);
    v.pe.commands.clear();
    const Tile scanned = v.tl.associative_scan(x, {.axis = 1}, add);
    CHECK(scanned.shape() == Shape{3, n});
    CHECK(v.pe.commands.size() == static_cast<std::size_t>(5 * steps));
  }
}

TEST_CASE("dot: f32 of narrow floats, f64 of f64, i32 of bytes; batches go along") {
  Vocabulary v;
  for (const DType dtype : {f16, bf16, f32, e4}) {
    CHECK(v.tl.dot(v.tile({3, 4}, dtype), v.tile({4, 5}, dtype)).dtype() == f32);
  }
  CHECK(v.tl.dot(v.tile({3, 4}, f64), v.tile({4, 5}, f64)).dtype() == f64);
  CHECK(v.tl.dot(v.tile({3, 4}, i8), v.tile({4, 5}, i8)).dtype() == i32);
  const Tile acc = v.tile({2, 3, 5}, f32);
  CHECK(v.tl.dot(v.tile({2, 3, 4}, f16), v.tile({2, 4, 5}, f16), acc).shape() == Shape{2, 3, 5});
  CHECK(v.pe.commands.back().inputs[2] == acc.state());
}

TEST_CASE("Debugging: a print is a command with its label, a range spans its block, a check is silent") {
  Vocabulary v;
  const Tile x = v.one(f32);
  v.tl.print("x", x);
  CHECK(v.pe.commands.back().kind == oplog::OpKind::print);
  CHECK(v.pe.commands.back().label == "x");
  {
    const auto range = v.tl.range("block");
    v.pe.observe(7_ns);
  }
  REQUIRE(v.pe.ranges.size() == 1);
  CHECK(v.pe.ranges[0].name == "block");
  CHECK(v.pe.ranges[0].end == 7_ns);
  v.tl.check(true, "never seen");
  CHECK(v.pe.commands.size() == 2);
}

TEST_CASE("Debugging: a check of a tile is a command with its place and text, and changes nothing") {
  Vocabulary v;
  const Tile x = v.one(f32);
  v.tl.check_all(x > 0, "all is well");
  const std::string place = "vocabulary.cpp:" + std::to_string(__LINE__ - 1);
  const oplog::Op& op = v.pe.log.ops(0).back();
  CHECK(op.kind == oplog::OpKind::check);
  CHECK(op.dtype == boolean);
  const std::vector<std::byte>& text = *op.data.kept();
  CHECK(std::string_view{reinterpret_cast<const char*>(text.data()), text.size()} ==
        place + ": check_all: all is well");
}

TEST_CASE("Casts: to the nearest, or toward zero into a narrower float") {
  Vocabulary v;
  CHECK(v.one(f32).to(f16).dtype() == f16);
  CHECK(v.pe.commands.back().params.round == Round::rtne);
  CHECK(v.one(f32).to(bf16, Round::rtz).dtype() == bf16);
  CHECK(v.pe.commands.back().params.round == Round::rtz);
  CHECK(v.one(i32).to(f16, Round::rtne).dtype() == f16);
}

TEST_CASE("Arguments: an axis has no default, and arguments are destroyed trivially") {
  static_assert(!std::is_default_constructible_v<AxisArgs>);
  static_assert(!std::is_default_constructible_v<ReduceArgs>);
  static_assert(!std::is_default_constructible_v<ExtremeArgs>);
  static_assert(std::is_trivially_destructible_v<Operand>);
  CHECK(ReduceArgs{.axis = 1}.axis.value() == 1);
}

}  // namespace kbsim::test::vocabulary_test
