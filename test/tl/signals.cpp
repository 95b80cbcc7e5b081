#include <doctest/doctest.h>

#include "fake_pe.hpp"

namespace kbsim::test::signals_test {
namespace {

constexpr Ptr kData{.va = 256, .dtype = f16};
constexpr Ptr at(DType dtype, std::uint64_t va = 64) { return {.va = va, .dtype = dtype}; }

}  // namespace

TEST_CASE("Signals: a put has its tile, its places, and an exchange or an addition of its value") {
  Kernel k;
  const Tile x = k.tl.zeros({2, 3}, f16);
  k.tl.put({.dst = kData, .src = x, .signal = at(i32)}).detach();
  k.tl.put({.dst = kData, .src = x, .signal = at(DType::i64), .value = -7, .op = SignalOp::add}).detach();
  REQUIRE(k.pe.puts.size() == 2);
  CHECK(k.pe.puts[0].to == kData);
  CHECK(k.pe.puts[0].tile == x.state());
  CHECK(k.pe.puts[0].signal.op == AtomicOp::exchange);
  CHECK(k.pe.puts[0].signal.to == at(i32));
  CHECK(k.pe.puts[1].signal.op == AtomicOp::add);
  CHECK(k.pe.puts[1].signal.operand->shape() == Shape{1});
  CHECK(k.pe.puts[1].signal.operand->dtype() == DType::i64);
  CHECK(k.pe.commands.back().params.scalar == -7.0);
  CHECK(k.pe.commands.back().shape.rank() == 0);  // a number takes no time
}

TEST_CASE("Signals: a wait has its word and its condition, and says so") {
  Kernel k;
  k.tl.wait_signal({.signal = at(i32), .at_least = 3}).detach();
  k.tl.wait_signal({.signal = at(i32), .equal = -1}).detach();
  REQUIRE(k.pe.signals.size() == 2);
  CHECK(k.pe.started[0]->what().text() == "wait_signal at 0x40 for at least 3");
  CHECK(k.pe.started[1]->what().text() == "wait_signal at 0x40 for -1");
  const Condition least = k.pe.signals[0].until;
  const Condition equal = k.pe.signals[1].until;
  CHECK(!least.met(2));
  CHECK(least.met(3));
  CHECK(least.met(4));
  CHECK(equal.met(-1));
  CHECK(!equal.met(0));
}

TEST_CASE("Signals: a wrong word, tile, value or condition is a fault with its line") {
  Kernel k;
  const Tile x = k.tl.zeros({2}, f16);
  const Tile others = k.other_tl.zeros({2}, f16);
  const auto put = [&](Ptr dst, const Tile& src, Ptr signal, std::int64_t value) {
    return fault([&] { k.tl.put({.dst = dst, .src = src, .signal = signal, .value = value}).detach(); });
  };
  const int line = __LINE__ - 2;
  CHECK(put(kData, x, at(f16), 1) == here(line, "put: a signal is a word of i32 or i64, not of f16"));
  CHECK(put(kData, x, at(i32, 66), 1) ==
        here(line, "put: the signal at 0x42 is not aligned to the 4 B of i32"));
  CHECK(put(at(f32), x, at(i32), 1) ==
        here(line, "put: a tile of f16 into memory of f32; convert it with .to(f32)"));
  CHECK(put(kData, x, at(i32), std::int64_t{1} << 40) ==
        here(line, "put: 1099511627776 is out of range of i32"));
  CHECK(put(kData, Tile{}, at(i32), 1).find("put: the tile is empty") != std::string::npos);
  CHECK(put(kData, others, at(i32), 1).find("put: ") != std::string::npos);
  const auto wait = [&](WaitSignalArgs args) { return fault([&] { k.tl.wait_signal(args).detach(); }); };
  const int waits = __LINE__ - 1;
  const std::string one = here(waits, "wait_signal: give one of at_least and equal");
  CHECK(wait({.signal = at(i32)}) == one);
  CHECK(wait({.signal = at(i32), .at_least = 1, .equal = 1}) == one);
  CHECK(wait({.signal = at(f32), .equal = 1}) ==
        here(waits, "wait_signal: a signal is a word of i32 or i64, not of f32"));
  CHECK(wait({.signal = at(i32), .equal = std::int64_t{1} << 40}) ==
        here(waits, "wait_signal: 1099511627776 is out of range of i32"));
}

}  // namespace kbsim::test::signals_test
