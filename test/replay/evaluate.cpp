#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/replay/replay.hpp"

#include "graph.hpp"

namespace kbsim::replay {
namespace {

using oplog::BinaryOp;
using oplog::Operand;
using Numbers = std::vector<double>;

Numbers numbers(Replay& replay, const Operand& what) { return to_doubles(replay.evaluate(what), what.dtype); }

TEST_CASE("Replay: literal, fill, copy, cast and binary") {
  Graph g;
  const Operand a = g.literal({1, 2, 3}, f16);
  const Operand b = g.fill(0.5, {3}, f16);
  const Operand sum = g.binary(BinaryOp::add, a, g.copy(b));
  const Operand cast = g.cast(sum, i32);
  Replay replay{g.log};
  CHECK(numbers(replay, sum) == Numbers{1.5, 2.5, 3.5});
  CHECK(numbers(replay, cast) == Numbers{1, 2, 3});
}

TEST_CASE("Replay: a one-element second input is applied to every element") {
  Graph g;
  const Operand product = g.binary(BinaryOp::mul, g.literal({1, 2, 3}, f32), g.literal({-2}, f32));
  Replay replay{g.log};
  CHECK(numbers(replay, product) == Numbers{-2, -4, -6});
}

TEST_CASE("Replay: an operand is assembled from slices of several values, at any offset") {
  Graph g;
  const Operand a = g.literal({1, 2, 3, 4}, f32);
  const Operand b = g.literal_bytes(Buffer(3, std::byte{0}), DType::u8);
  const oplog::ValueId va = a.slices[0].value;
  const oplog::ValueId vb = b.slices[0].value;
  const Operand mixed{.slices = {{va, 4, 8}, {vb, 1, 2}, {va, 14, 2}}, .shape = {3}, .dtype = f32};
  const Operand doubled = g.binary(BinaryOp::add, mixed, mixed);
  Replay replay{g.log};
  CHECK(numbers(replay, mixed) == Numbers{2, 3, 4});  // 4.0f has zeros in its low half
  CHECK(numbers(replay, doubled) == Numbers{4, 6, 8});
}

TEST_CASE("Replay: an operand that isn't aligned for its dtype is read right") {
  Graph g;
  Buffer bytes = from_doubles(Numbers{1.25, 2.5}, f64);
  bytes.insert(bytes.begin(), std::byte{7});
  const Operand raw = g.literal_bytes(std::move(bytes), DType::u8);
  const Operand odd{.slices = {{raw.slices[0].value, 1, 16}}, .shape = {2}, .dtype = f64};
  const Operand sum = g.binary(BinaryOp::add, odd, odd);
  Replay replay{g.log};
  CHECK(numbers(replay, sum) == Numbers{2.5, 5});
}

TEST_CASE("Replay: unwritten bytes are 0xFF, NaN in every floating dtype") {
  for (const DType dtype : {f16, bf16, f32, f64, DType::f8e4m3, DType::f8e5m2}) {
    CAPTURE(to_string(dtype));
    Graph g;
    const Operand nothing{.slices = {{{}, 0, Shape{2}.bytes(dtype).count()}}, .shape = {2}, .dtype = dtype};
    const Operand copied = g.copy(nothing);
    Replay replay{g.log};
    const Buffer bytes = replay.evaluate(copied);
    CHECK(bytes == Buffer(bytes.size(), std::byte{0xff}));
    CHECK(std::isnan(element(bytes, dtype, 1)));
  }
}

TEST_CASE("Replay: computes only what a value needs, and only once") {
  Graph g;
  const Operand a = g.fill(1, {4}, f32);
  const Operand b = g.fill(2, {4}, f32);
  const Operand sum = g.binary(BinaryOp::add, a, a);
  const Operand other = g.binary(BinaryOp::mul, sum, b);
  Replay replay{g.log};
  CHECK(numbers(replay, sum) == Numbers(4, 2));
  CHECK(replay.counters().executed == 2);
  CHECK(numbers(replay, sum) == Numbers(4, 2));
  CHECK(replay.counters().executed == 2);
  CHECK(numbers(replay, other) == Numbers(4, 4));
  CHECK(replay.counters().executed == 4);
}

TEST_CASE("Replay: follows a log that grows between two questions") {
  Graph g;
  const Operand a = g.fill(1, {2}, f32);
  Replay replay{g.log};
  CHECK(numbers(replay, a) == Numbers{1, 1});
  const Operand b = g.binary(BinaryOp::add, a, a);
  CHECK(numbers(replay, b) == Numbers{2, 2});
  CHECK(replay.counters().executed == 2);
}

TEST_CASE("Replay: holds values until release_all, and then computes them again") {
  Graph g;
  const Operand a = g.fill(1, {256}, f32);
  Replay replay{g.log};
  static_cast<void>(replay.evaluate(a));
  CHECK(replay.counters().live == 1_KiB);
  replay.release_all();
  CHECK(replay.counters().live == 0_B);
  CHECK(replay.counters().peak == 1_KiB);
  CHECK(numbers(replay, a) == Numbers(256, 1));
  CHECK(replay.counters().executed == 2);
}

TEST_CASE("Replay: a value that isn't recorded yet is named, with the operation that reads it") {
  Graph g;
  static_cast<void>(g.fill(1, {2}, f32));
  const oplog::ValueId flying = g.log.reserve(0);
  const Operand what{.slices = {{flying, 0, 8}}, .shape = {2}, .dtype = f32};
  const Operand copied = g.copy(what);
  Replay replay{g.log};
  CHECK_THROWS_WITH_AS(static_cast<void>(replay.evaluate(what)),
                       "value 0:1 isn't recorded, but read by the host", InternalError);
  CHECK_THROWS_WITH_AS(static_cast<void>(replay.evaluate(copied)),
                       "value 0:1 isn't recorded, but read by pe0, operation 2 (copy, f32 [2])",
                       InternalError);
}

TEST_CASE("Replay: an integer division by zero names its operation") {
  Graph g;
  const Operand quotient = g.binary(BinaryOp::div, g.literal({1, 2}, i32), g.literal({1, 0}, i32));
  Replay replay{g.log};
  CHECK_THROWS_WITH_AS(static_cast<void>(replay.evaluate(quotient)),
                       "pe0, operation 2 (div, i32 [2]): integer division by zero", KernelFault);
}

}  // namespace
}  // namespace kbsim::replay
