#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/replay/compare_values.hpp"
#include "kbsim/replay/replay.hpp"

#include "graph.hpp"
#include "samples.hpp"

namespace kbsim::replay {
namespace {

using oplog::Operand;
using oplog::OpKind;

struct Extents {
  std::int64_t batches;
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
  [[nodiscard]] Shape a() const { return {batches, m, k}; }
  [[nodiscard]] Shape b() const { return {batches, k, n}; }
  [[nodiscard]] Shape c() const { return {batches, m, n}; }
};

Numbers product(const Extents& e, const Numbers& a, const Numbers& b, const Numbers& c) {
  Numbers sums = c;
  for (std::int64_t i = 0; i < e.batches * e.m * e.n; ++i) {
    const std::int64_t row = i / e.n;
    const std::int64_t batch = row / e.m;
    for (std::int64_t k = 0; k < e.k; ++k) {
      sums[static_cast<std::size_t>(i)] += a[static_cast<std::size_t>(row * e.k + k)] *
                                           b[static_cast<std::size_t>((batch * e.k + k) * e.n + i % e.n)];
    }
  }
  return sums;
}

Extents random_extents(Samples& samples) {
  const std::int64_t k = samples.below(4) == 0 ? 250 + samples.below(300) : samples.extent();
  return {1 + samples.below(3), samples.extent() * (1 + samples.below(5)), k, samples.extent()};
}

TEST_CASE("dot: is exact where the sums are, in every dtype, batched or not, from any sum so far") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    const Extents e = random_extents(samples);
    const Numbers a = samples.small(e.a().elements(), 8);
    const Numbers b = samples.small(e.b().elements(), 8);
    const Numbers c = samples.small(e.c().elements(), 1000);
    for (const DType dtype : {f16, bf16, f32, f64, DType::i8, DType::u8, DType::f8e4m3}) {
      CAPTURE(to_string(dtype));
      const DType sum = dtype == f64 ? f64 : info(dtype).floating ? f32 : i32;
      Graph g;
      std::vector<Operand> inputs{g.literal_of(a, e.a(), dtype), g.literal_of(b, e.b(), dtype)};
      Replay replay{g.log, 1};
      const Numbers none(c.size(), 0.0);
      REQUIRE(to_doubles(replay.evaluate(g.record(OpKind::dot, {}, sum, e.c(), inputs)), sum) ==
              product(e, a, b, none));
      inputs.push_back(g.literal_of(c, e.c(), sum));
      REQUIRE(to_doubles(replay.evaluate(g.record(OpKind::dot, {}, sum, e.c(), inputs)), sum) ==
              product(e, a, b, c));
    }
  }
}

TEST_CASE("dot: of any numbers is within the error of a sum of k products in f32, f64") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    Samples samples{seed};
    const Extents e = random_extents(samples);
    for (const DType dtype : {f16, bf16, f32, f64}) {
      const auto numbers = [&](std::int64_t n) {
        Numbers all(static_cast<std::size_t>(n));
        for (double& x : all) x = samples.signed_unit();
        return to_doubles(from_doubles(all, dtype), dtype);
      };
      const Numbers a = numbers(e.a().elements());
      const Numbers b = numbers(e.b().elements());
      const DType sum = dtype == f64 ? f64 : f32;
      Graph g;
      const Operand made = g.record(OpKind::dot, {}, sum, e.c(),
                                    {g.literal_of(a, e.a(), dtype), g.literal_of(b, e.b(), dtype)});
      const double unit = dtype == f64 ? 0x1p-53 : 0x1p-24;
      const Numbers expected = product(e, a, b, Numbers(static_cast<std::size_t>(e.c().elements()), 0.0));
      REQUIRE(compare(Replay{g.log, 1}.evaluate(made), expected, sum,
                      {.abs = 2 * static_cast<double>(e.k) * static_cast<double>(e.k) * unit})
                  .ok);
    }
  }
}

TEST_CASE("dot: the sum is rounded once, at the end, if the result is narrower") {
  Graph g;
  const Operand ones = g.literal_of(Numbers(4096, 1.0), {1, 4096}, f16);
  const Operand column = g.literal_of(Numbers(4096, 1.0), {4096, 1}, f16);
  CHECK(Replay{g.log, 1}.evaluate(g.record(OpKind::dot, {}, f16, {1, 1}, {ones, column})) ==
        from_doubles(Numbers{4096}, f16));
}

// A row of k numbers, 0 but for some, times a column of ones, added to a sum so far: in f32.
float added(float sum, std::int64_t k, const std::vector<std::pair<std::size_t, double>>& some) {
  Graph g;
  Numbers row(static_cast<std::size_t>(k), 0.0);
  for (const auto& [at, x] : some) row[at] = x;
  const Operand a = g.literal_of(row, {1, k}, f32);
  const Operand b = g.literal_of(Numbers(static_cast<std::size_t>(k), 1.0), {k, 1}, f32);
  const Operand c = g.literal_of({sum}, {1, 1}, f32);
  const Operand made = g.record(OpKind::dot, {}, f32, {1, 1}, {a, b, c});
  return static_cast<float>(to_doubles(Replay{g.log, 1}.evaluate(made), f32)[0]);
}

TEST_CASE("dot: f32 adds panels of 256 of k to the sum so far, in ascending order") {
  constexpr double kEven = 0x1p24;  // 1 added to it is lost, 2 isn't
  for (const bool negative : {false, true}) {
    const double big = negative ? -kEven : kEven;
    CHECK(added(1, 512, {{0, big}, {256, -big}}) == (negative ? 1.0F : 0.0F));  // in the other order 0 and 1
  }
  CHECK(added(0, 768, {{0, 1}, {256, kEven}, {512, -kEven}}) ==
        0.0F);  // 1 in any order where the first isn't first
  CHECK(added(0, 768, {{0, kEven}, {256, -kEven}, {512, 1}}) == 1.0F);
  CHECK(added(kEven, 512, {{0, 1}, {255, 1}}) == kEven + 2);  // of one panel: added to each other first
  CHECK(added(kEven, 512, {{255, 1}, {256, 1}}) == kEven);    // of two: lost, one after the other
}

TEST_CASE("dot: integers wrap at 32 bits, infinities and NaN pass through") {
  Graph g;
  const Operand one = g.literal_of({100}, {1, 1}, DType::i8);
  const Operand most = g.literal_of({2147483647}, {1, 1}, i32);
  Replay replay{g.log, 1};
  CHECK(replay.evaluate(g.record(OpKind::dot, {}, i32, {1, 1}, {one, one, most})) ==
        from_doubles(Numbers{-2147483648.0 + 9999}, i32));
  const Operand x = g.literal_of({INFINITY, NAN, 1, 2}, {2, 2}, f32);
  const Operand y = g.literal_of({1, -1}, {2, 1}, f32);
  CHECK(replay.evaluate(g.record(OpKind::dot, {}, f32, {2, 1}, {x, y})) ==
        from_doubles(Numbers{NAN, -1}, f32));
}

TEST_CASE("dot: gives the same bits wherever its inputs lie, and on every run and number of threads") {
  Samples samples{3};
  const Extents e{1, 67, 300, 45};
  Numbers a(static_cast<std::size_t>(e.a().elements()));
  for (double& x : a) x = samples.signed_unit();
  Graph g;
  const Operand x = g.literal_of(a, e.a(), f32);
  Numbers shifted(1, 0.0);
  shifted.insert(shifted.end(), a.begin(), a.end());
  const Operand all = g.literal(shifted, f32);
  const Operand odd{
      .slices = {{all.slices[0].value, 4, e.a().bytes(f32).count()}}, .shape = e.a(), .dtype = f32};
  Numbers b(static_cast<std::size_t>(e.b().elements()));
  for (double& v : b) v = samples.signed_unit();
  const Operand y = g.literal_of(b, e.b(), f32);
  const Operand p = g.record(OpKind::dot, {}, f32, e.c(), {x, y});
  const Operand q = g.record(OpKind::dot, {}, f32, e.c(), {odd, y});
  Replay replay{g.log, 1};
  const Buffer bits = replay.evaluate(p);
  CHECK(replay.evaluate(q) == bits);
  for (const unsigned threads : {1U, 2U, 5U}) CHECK(Replay{g.log, threads}.evaluate(p) == bits);
}

}  // namespace
}  // namespace kbsim::replay
