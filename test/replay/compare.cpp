#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/replay/compare_values.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {
namespace {

using Numbers = std::vector<double>;

Comparison compared(const Numbers& actual, const Numbers& expected, DType dtype, const Tolerance& t = {}) {
  return compare(from_doubles(actual, dtype), expected, dtype, t);
}

TEST_CASE("compare: equal arrays have no error") {
  const Comparison c = compared({1, -2, 0}, {1, -2, 0}, f16);
  CHECK(c.ok);
  CHECK(c.max_abs == 0);
  CHECK(c.max_rel == 0);
  CHECK(c.max_ulp == 0);
  CHECK(c.first_bad == -1);
}

TEST_CASE("compare: reports the largest errors of all elements and the first bad one") {
  const Comparison c = compared({1, 2.5, 8}, {1, 2, 7}, f32);
  CHECK_FALSE(c.ok);
  CHECK(c.first_bad == 1);
  CHECK(c.max_abs == 1);
  CHECK(c.max_rel == 0.25);
  CHECK(c.max_ulp == 0.5 / 0x1p-22);
}

TEST_CASE("compare: the first bad element has its place in the whole, however large that is") {
  Numbers expected(200'000, 1.0);
  for (const std::size_t wrong : {std::size_t{199'999}, std::size_t{65'536}, std::size_t{65'535}}) {
    Numbers actual(expected.size(), 1.0);
    actual[wrong] = 2.0;
    CHECK(compared(actual, expected, f16).first_bad == static_cast<std::int64_t>(wrong));
  }
}

TEST_CASE("compare: an element is right within any one of the tolerances") {
  CHECK(compared({1.5}, {1}, f32, {.abs = 0.5}).ok);
  CHECK(compared({1.5}, {1}, f32, {.rel = 0.5}).ok);
  CHECK(compared({1.5}, {1}, f32, {.ulp = 0x1p22}).ok);
  CHECK_FALSE(compared({1.5}, {1}, f32, {.abs = 0.4, .rel = 0.4, .ulp = 3}).ok);
}

TEST_CASE("compare: the correctly rounded result is within half an ulp, in every floating dtype") {
  for (const DType dtype : {f16, bf16, f32, f64, DType::f8e4m3, DType::f8e5m2}) {
    for (const double x : {1.0 / 3, -0.1, 100.0 / 7, 1.9999, 0.0021, 0.0}) {
      CHECK(compared({x}, {x}, dtype, {.ulp = 0.5}).ok);
    }
  }
}

TEST_CASE("compare: an ulp is the spacing at the expected number, that of denormals below the normal ones") {
  CHECK(compared({1 + 0x1p-10}, {1}, f16).max_ulp == 1);
  CHECK(compared({4 + 0x1p-8}, {4}, f16).max_ulp == 1);
  CHECK(compared({0x1p-24}, {0}, f16).max_ulp == 1);
  CHECK(compared({416}, {448}, DType::f8e4m3).max_ulp == 1);
  CHECK(compared({7}, {5}, i32).max_ulp == 2);
}

TEST_CASE("compare: NaN equals NaN, and an infinity what the dtype rounds to it") {
  CHECK(compared({NAN, INFINITY, -INFINITY}, {NAN, INFINITY, -INFINITY}, f32).ok);
  CHECK(compared({INFINITY}, {1e6}, f16).ok);
  const Comparison nan = compared({NAN}, {1}, f32, {.abs = 1e30, .rel = 1e30, .ulp = 1e30});
  CHECK_FALSE(nan.ok);
  CHECK(nan.max_abs == INFINITY);
  CHECK(nan.max_rel == INFINITY);
  CHECK(nan.max_ulp == INFINITY);
  CHECK_FALSE(compared({1}, {NAN}, f32).ok);
  CHECK_FALSE(compared({-INFINITY}, {INFINITY}, f32).ok);
  CHECK_FALSE(compared({65504}, {INFINITY}, f16).ok);
}

TEST_CASE("checklist 28: a comparison has the means of what it got and of what was expected") {
  const Comparison found = compared({1, 2, 3, 0}, {1, 2, 3, 6}, f16);
  CHECK(found.means.got == 1.5);
  CHECK(found.means.expected == 3.0);
  CHECK(to_text(found.means) == "got mean=1.500, expected=3.000");
  CHECK(compare({}, {}, f16).means.got == 0.0);
}

TEST_CASE("compare: any error beside an expected zero is infinitely large relatively") {
  CHECK(compared({0.5}, {0}, f32).max_rel == INFINITY);
}

TEST_CASE("compare: arrays of different sizes are our own mistake") {
  CHECK_THROWS_AS(static_cast<void>(compared({1, 2}, {1}, f32)), InternalError);
}

}  // namespace
}  // namespace kbsim::replay
