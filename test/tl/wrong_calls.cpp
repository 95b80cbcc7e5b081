// Wrong input to every call of the vocabulary: a KernelFault with place, call, shapes and dtypes.
#include <random>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "fake_pe.hpp"

namespace kbsim::test::wrong_calls_test {
namespace {

using Call = std::function<void(TL&, const Tile&)>;

/// Every call that takes a tile.
const std::vector<Call> kCalls{
    [](TL& tl, const Tile& x) { (void)tl.reshape(x, {6}); },
    [](TL& tl, const Tile& x) { (void)tl.unsqueeze(x, 0); },
    [](TL& tl, const Tile& x) { (void)tl.trans(x); },
    [](TL& tl, const Tile& x) { (void)tl.permute(x, {1, 0}); },
    [](TL& tl, const Tile& x) { (void)tl.broadcast_to(x, {2, 3}); },
    [](TL& tl, const Tile& x) { (void)tl.cat(x, x, {.axis = 0}); },
    [](TL& tl, const Tile& x) { (void)tl.eq(x, 0); },
    [](TL& tl, const Tile& x) { (void)tl.ne(0, x); },
    [](TL& tl, const Tile& x) { (void)tl.floordiv(x, 2); },
    [](TL& tl, const Tile& x) { (void)tl.maximum(x, 0); },
    [](TL& tl, const Tile& x) { (void)tl.minimum(0, x); },
    [](TL& tl, const Tile& x) { (void)tl.clamp(x, 0, 1); },
    [](TL& tl, const Tile& x) { (void)tl.where(x, 0, 1); },
    [](TL& tl, const Tile& x) { (void)tl.fma(x, 1, 2); },
    [](TL& tl, const Tile& x) { (void)tl.abs(x); },
    [](TL& tl, const Tile& x) { (void)tl.exp(x); },
    [](TL& tl, const Tile& x) { (void)tl.sigmoid(x); },
    [](TL& tl, const Tile& x) { (void)tl.softmax(x, {.axis = 0}); },
    [](TL& tl, const Tile& x) { (void)tl.sum(x, {.axis = 0}); },
    [](TL& tl, const Tile& x) { (void)tl.argmax(x, {.axis = 0}); },
    [](TL& tl, const Tile& x) { (void)tl.cumsum(x, {.axis = 0}); },
    [](TL& tl, const Tile& x) { (void)tl.cumprod(x, {.axis = 0, .reverse = true}); },
    [](TL& tl, const Tile& x) { (void)tl.slice(x, {.axis = 0, .begin = 1}); },
    [](TL& tl, const Tile& x) {
      (void)tl.associative_scan(x, {.axis = 0},
                                [](TL& on, const Tile& a, const Tile& b) { return on.maximum(a, b); });
    },
    [](TL& tl, const Tile& x) { (void)tl.topk(x, 1); },
    [](TL& tl, const Tile& x) { (void)tl.dot(x, x); },
    [](TL& tl, const Tile& x) { tl.print("x", x); },
    [](TL& tl, const Tile& x) { tl.store({.dtype = f32}, x).detach(); },
    [](TL& tl, const Tile& x) { tl.send({.dir = Dir::E, .src = x}).detach(); },
};

}  // namespace

TEST_CASE(
    "Wrong calls: an empty tile and a tile of another PE are refused by every call, and nothing starts") {
  Kernel k;
  const Tile others = k.other_tl.zeros({2, 3});
  for (const Call& call : kCalls) {
    const std::string empty = fault([&] { call(k.tl, Tile{}); });
    CHECK(empty.find("the tile is empty") != std::string::npos);
    const std::string foreign = fault([&] { call(k.tl, others); });
    CHECK(foreign.find("the tile of [2, 3] lives on another PE") != std::string::npos);
  }
  CHECK(k.pe.commands.empty());
  CHECK(k.pe.started.empty());
}

TEST_CASE("Wrong calls: dtypes that a call has no meaning for are named with it") {
  Kernel k;
  const Tile n = k.tl.zeros({2}, i32);
  const Tile x = k.tl.zeros({2}, f32);
  const Tile b = k.tl.zeros({2}, DType::boolean);
  const Tile u = k.tl.zeros({2}, DType::u8);
  const Tile f8 = k.tl.zeros({2}, DType::f8e4m3);
  CHECK(fault([&] { (void)k.tl.exp(n); }) ==
        here(__LINE__, "exp: needs a float dtype, got i32 [2]; convert it with .to(f32)"));
  CHECK(fault([&] { (void)(x << 1); }) == here(__LINE__, "shl: isn't there for f32; cast it with .to(...)"));
  CHECK(fault([&] { (void)(b + b); }) == here(__LINE__, "add: isn't there for bool; cast it with .to(...)"));
  CHECK(fault([&] { (void)-b; }) == here(__LINE__, "neg: isn't there for bool; cast it with .to(...)"));
  CHECK(fault([&] { (void)~x; }) == here(__LINE__, "invert: isn't there for f32; cast it with .to(...)"));
  CHECK(fault([&] { (void)k.tl.fma(n, n, n); }) ==
        here(__LINE__, "fma: isn't there for i32; cast it with .to(...)"));
  CHECK(fault([&] { (void)k.tl.floordiv(x, 2); }) == here(__LINE__, "floordiv: divides integers, got f32"));
  CHECK(fault([&] { (void)(n / u); }) ==
        here(__LINE__, "div: i32 and u8 have different signedness; cast one of them"));
  CHECK(fault([&] { (void)(f8 + n); }) ==
        here(__LINE__, "add: f8e4m3 and i32 don't go together; cast one of them"));
  CHECK(fault([&] { (void)(u + -1); }) ==
        here(__LINE__, "add: a negative number, -1, with unsigned u8; cast one of them"));
  CHECK(fault([&] { (void)(300 + u); }) == here(__LINE__, "add: 300 is out of range of u8"));
  CHECK(fault([&] { (void)k.tl.full({2}, 128, DType::i8); }) ==
        here(__LINE__, "full: 128 is out of range of i8"));
  CHECK(fault([&] { (void)k.tl.where(x, 1, 0); }) ==
        here(__LINE__, "where: the condition must be bool, got f32 [2]; compare it with 0"));
  CHECK(fault([&] { (void)k.tl.maximum(1, 2); }) ==
        here(__LINE__, "maximum: needs a tile among its operands"));
  CHECK(fault([&] { (void)x.to(f64, Round::rtz); }) ==
        here(__LINE__, "to: rounds toward zero only from a float into a narrower one, got f32 into f64"));
  CHECK(fault([&] { (void)n.to(f16, Round::rtz); }) ==
        here(__LINE__, "to: rounds toward zero only from a float into a narrower one, got i32 into f16"));
  CHECK(fault([&] { k.tl.check_all(Tile{}, "x"); }) ==
        here(__LINE__, "check_all: the tile is empty (never assigned, or moved from)"));
  CHECK(fault([&] { (void)x.bitcast(f16); }) == here(__LINE__, "bitcast: f32 and f16 have different sizes"));
}

TEST_CASE("Wrong calls: shapes and axes that don't fit are named") {
  Kernel k;
  const Tile a = k.tl.zeros({2, 3});
  const Tile v = k.tl.zeros({3});
  CHECK(fault([&] { (void)k.tl.reshape(a, {4}); }) ==
        here(__LINE__, "reshape: [2, 3] has 6 elements, [4] has 4"));
  CHECK(fault([&] { (void)k.tl.reshape(a, {6, 0}); }) ==
        here(__LINE__, "reshape: every extent must be positive, got [6, 0]"));
  CHECK(fault([&] { (void)k.tl.trans(v); }) == here(__LINE__, "trans: needs two axes or more, got [3]"));
  CHECK(fault([&] { (void)k.tl.permute(a, {0, 0}); }) ==
        here(__LINE__, "permute: [0, 0] is no order of the axes of [2, 3]"));
  CHECK(fault([&] { (void)k.tl.permute(a, {0, 300}); }) ==
        here(__LINE__, "permute: [0, 300] is no order of the axes of [2, 3]"));
  CHECK(fault([&] { (void)k.tl.permute(a, {1, 0, 2}); }) ==
        here(__LINE__, "permute: [1, 0, 2] is no order of the axes of [2, 3]"));
  CHECK(fault([&] { (void)k.tl.unsqueeze(a, 3); }) ==
        here(__LINE__, "unsqueeze: [2, 3] has no place for an axis 3"));
  CHECK(fault([&] { (void)k.tl.unsqueeze(k.tl.zeros({1, 1, 1, 1, 1}), 0); }) ==
        here(__LINE__, "unsqueeze: [1, 1, 1, 1, 1] has 5 axes, no more fit"));
  CHECK(fault([&] { (void)k.tl.broadcast_to(a, {2, 4}); }) ==
        here(__LINE__, "broadcast_to: [2, 3] doesn't broadcast to [2, 4]"));
  CHECK(fault([&] { (void)k.tl.broadcast_to(v, {2, 3}); }) ==
        here(__LINE__, "broadcast_to: [3] doesn't broadcast to [2, 3]"));
  CHECK(fault([&] { (void)k.tl.cat(a, k.tl.zeros({2, 4}), {.axis = 0}); }) ==
        here(__LINE__, "cat: [2, 3] and [2, 4] don't join at axis 0"));
  CHECK(fault([&] { (void)k.tl.cat(a, k.tl.zeros({2, 3}, f16), {.axis = 0}); }) ==
        here(__LINE__, "cat: dtypes differ: f32 and f16"));
  CHECK(fault([&] { (void)k.tl.slice(a, {.axis = 2}); }) ==
        here(__LINE__, "slice: axis 2 is none of [2, 3]"));
  const auto slice = [&](std::int64_t begin, std::int64_t end) {
    return fault([&] { (void)k.tl.slice(a, {.axis = 1, .begin = begin, .end = end}); });
  };
  const std::string wants = " along axis 1 of [2, 3]: wants 0 <= begin < end <= 3";
  CHECK(slice(1, 4).ends_with("slice: from 1 to 4" + wants));
  CHECK(slice(-1, 2).ends_with("slice: from -1 to 2" + wants));
  CHECK(slice(2, 2).ends_with("slice: from 2 to 2" + wants));
  CHECK(slice(2, 1).ends_with("slice: from 2 to 1" + wants));
  CHECK(fault([&] { (void)k.tl.sum(a, {.axis = 2}); }) == here(__LINE__, "sum: axis 2 is none of [2, 3]"));
  CHECK(fault([&] { (void)k.tl.softmax(a, {.axis = -3}); }) ==
        here(__LINE__, "softmax: axis -3 is none of [2, 3]"));
  CHECK(fault([&] { (void)k.tl.topk(a, 4); }) ==
        here(__LINE__, "topk: 4 of the last axis of [2, 3]: must be from 1 to 3"));
  CHECK(fault([&] { (void)k.tl.arange(3, 3); }) ==
        here(__LINE__, "arange: the end must be beyond the beginning, got 3 and 3"));
  CHECK(fault([&] { k.tl.check(false, "rank is odd"); }) == here(__LINE__, "check: rank is odd"));
}

TEST_CASE("Wrong calls: the function of a scan keeps shape and dtype") {
  Kernel k;
  const Tile x = k.tl.zeros({2, 3}, f16);
  const auto wider = [](TL&, const Tile& a, const Tile& b) { return (a + b).to(f32); };
  const auto reduced = [](TL& tl, const Tile& a, const Tile&) { return tl.sum(a, {.axis = 1}); };
  const auto nothing = [](TL&, const Tile&, const Tile&) { return Tile{}; };
  const auto first = [](TL&, const std::array<Tile, 2>& a, const std::array<Tile, 2>&) { return a; };
  const std::string widened = fault([&] { (void)k.tl.associative_scan(x, {.axis = 1}, wider); });
  CHECK(widened.starts_with("wrong_calls.cpp:"));
  CHECK(widened.ends_with(
      ": associative_scan: the function gives f32 [2, 2] for f16 [2, 2]; it must keep shape and dtype"));
  CHECK(fault([&] {
          (void)k.tl.associative_scan(x, {.axis = 1}, reduced);
        }).ends_with("the function gives f16 [2] for f16 [2, 2]; it must keep shape and dtype"));
  CHECK(fault([&] { (void)k.tl.associative_scan(x, {.axis = 1}, nothing); }) ==
        here(__LINE__, "associative_scan: the tile is empty (never assigned, or moved from)"));
  CHECK(fault([&] { (void)k.tl.associative_scan(x, {.axis = 2}, wider); }) ==
        here(__LINE__, "associative_scan: axis 2 is none of [2, 3]"));
  CHECK(fault([&] {
          (void)k.tl.associative_scan(std::array{x, k.tl.zeros({3})}, {.axis = 0}, first);
        }).ends_with("associative_scan: the tiles must have one shape, got [2, 3] and [3]"));
}

TEST_CASE("Wrong calls: a product names both shapes and dtypes") {
  Kernel k;
  const Tile a = k.tl.zeros({2, 3}, f16);
  const std::string differs = fault([&] { (void)k.tl.dot(a, a); });
  CHECK(differs.starts_with(here(__LINE__ - 1, "dot: [2, 3] times [2, 3]: wants [.., m, k] and [.., k, n]")));
  CHECK(differs.ends_with(" of equal ranks, but k is 3 and 2"));
  CHECK(fault([&] {
          (void)k.tl.dot(k.tl.zeros({2, 2, 3}, f16), k.tl.zeros({4, 3, 2}, f16));
        }).ends_with("of equal ranks, but axis 0 is 2 and 4"));
  CHECK(fault([&] { (void)k.tl.dot(a, k.tl.zeros({4, 3, 2}, f16)); }).ends_with("but 2 and 3 axes"));
  CHECK(fault([&] {
          (void)k.tl.dot(k.tl.zeros({3}, f16), k.tl.zeros({3}, f16));
        }).ends_with("but a product needs two axes or more"));
  CHECK(fault([&] { (void)k.tl.dot(a, k.tl.zeros({3, 2}, f32)); }) ==
        here(__LINE__, "dot: both operands must have one dtype, got f16 [2, 3] and f32 [3, 2]"));
  CHECK(fault([&] { (void)k.tl.dot(k.tl.zeros({2, 3}, i32), k.tl.zeros({3, 2}, i32)); }) ==
        here(__LINE__, "dot: isn't there for i32; cast it with .to(...)"));
  CHECK(fault([&] { (void)k.tl.dot(a, k.tl.zeros({3, 2}, f16), k.tl.zeros({2, 2}, f16)); }) ==
        here(__LINE__, "dot: [2, 3] times [3, 2] is f32 [2, 2], the sum so far f16 [2, 2]"));
}

TEST_CASE("Wrong calls: whatever shapes and dtypes come, a call ends in a recorded command or a fault") {
  constexpr std::array<DType, 12> kAll{f16,       bf16,           f32,           f64,
                                       DType::i8, DType::i16,     i32,           DType::i64,
                                       DType::u8, DType::boolean, DType::f8e4m3, DType::f8e5m2};
  Kernel k;
  int faults = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto any = [&] {
      const DType dtype = kAll[static_cast<std::size_t>(below(12))];
      if (below(3) == 0) return k.tl.zeros({1 + below(4)}, dtype);
      return k.tl.zeros({1 + below(3), 1 + below(3)}, dtype);
    };
    const Tile x = any();
    const Tile y = any();
    const auto act = [&] {
      kCalls[static_cast<std::size_t>(below(static_cast<int>(kCalls.size())))](k.tl, x);
      switch (below(8)) {
        case 0: return (void)(x + y);
        case 1: return (void)(x / y);
        case 2: return (void)(x % 3);
        case 3: return (void)(x & y);
        case 4: return (void)(x >= y);
        case 5: return (void)k.tl.dot(x, y);
        case 6: return (void)k.tl.where(x < y, x, y);
        default: return (void)k.tl.cat(x, y, {.axis = below(4) - 2});
      }
    };
    const std::string text = fault(act);
    if (text.empty()) continue;
    ++faults;
    REQUIRE(text.find("wrong_calls.cpp:") == 0);
  }
  CHECK(faults > 100);
  CHECK(faults < 2900);
}

}  // namespace kbsim::test::wrong_calls_test
