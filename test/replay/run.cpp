#include <algorithm>
#include <atomic>
#include <random>
#include <span>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/replay/replay.hpp"

#include "graph.hpp"
#include "sanitized.hpp"

namespace kbsim::replay {
namespace {

using oplog::BinaryOp;
using oplog::Operand;

TEST_CASE("Replay: a complete run frees a value after its last use") {
  Graph g;
  const Operand one = g.fill(1, {256}, f32);
  Operand sum = one;
  for (int i = 0; i < 100; ++i) sum = g.binary(BinaryOp::add, sum, one);
  Replay replay{g.log, 2};
  static_cast<void>(replay.run());
  CHECK(replay.counters().executed == 101);
  CHECK(replay.counters().peak == 3_KiB);  // the ones, a sum and the next
  CHECK(replay.counters().live == 0_B);
}

TEST_CASE("Replay: what the record completes first is computed first, so unread inputs don't pile up") {
  Graph g;
  Operand sum = g.fill(0, {256}, f32);
  for (int i = 0; i < 100; ++i) sum = g.binary(BinaryOp::add, sum, g.fill(i, {256}, f32));
  Replay replay{g.log, 1};
  static_cast<void>(replay.run());
  CHECK(replay.counters().peak == 3_KiB);
}

TEST_CASE("Replay: whole copies and literals take no memory of their own") {
  Graph g;
  Operand moved = g.literal(std::vector<double>(256, 1.0), f32);
  for (int i = 0; i < 10; ++i) moved = g.copy(moved);
  Replay replay{g.log, 1};
  CHECK(to_doubles(replay.evaluate(moved), f32) == std::vector<double>(256, 1.0));
  CHECK(replay.counters().peak == 0_B);
}

/// A float repeated; counts its reads.
class Made : public oplog::IContents {
 public:
  Made(float number, std::int64_t count) : numbers_(static_cast<std::size_t>(count), number) {}
  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(std::as_bytes(std::span{numbers_}).size());
  }
  void read(std::int64_t first, std::span<std::byte> to) const override {
    const auto bytes = std::as_bytes(std::span{numbers_});
    std::ranges::copy(bytes.subspan(static_cast<std::size_t>(first), to.size()), to.begin());
    ++reads;
  }
  mutable std::atomic<int> reads = 0;

 private:
  std::vector<float> numbers_;
};

TEST_CASE("Replay: literals that aren't kept are made for each reader, and then dropped") {
  Graph g;
  const auto ones = std::make_shared<const Made>(1.0F, 256);
  const auto twos = std::make_shared<const Made>(2.0F, 256);
  const Operand one = g.literal_contents(oplog::Contents{ones}, {256}, f32);
  const Operand two = g.literal_contents(oplog::Contents{twos}, {256}, f32);
  const Operand sum = g.binary(BinaryOp::add, one, two);
  Replay replay{g.log, 1};
  CHECK(to_doubles(replay.evaluate(sum), f32) == std::vector<double>(256, 3.0));
  CHECK(replay.counters().peak == 3_KiB);  // both and their sum
  CHECK(replay.counters().live == 1_KiB);
  CHECK(to_doubles(replay.evaluate(two), f32) == std::vector<double>(256, 2.0));
  CHECK(replay.counters().live == 1_KiB);
  CHECK(ones->reads == 1);
  CHECK(twos->reads == 2);
}

TEST_CASE("Replay: copies of a literal that isn't kept share one buffer") {
  Graph g;
  const auto ones = std::make_shared<const Made>(1.0F, 256);
  const Operand one = g.literal_contents(oplog::Contents{ones}, {256}, f32);
  Replay replay{g.log, 1};
  for (int i = 0; i < 10; ++i)
    CHECK(to_doubles(replay.evaluate(g.copy(one)), f32) == std::vector<double>(256, 1.0));
  CHECK(ones->reads == 1);
  CHECK(replay.counters().peak == 1_KiB);
}

TEST_CASE("Replay: a complete run has one digest, whether literals are kept or made") {
  const auto digest = [](bool kept) {
    Graph g;
    const oplog::Contents made{std::make_shared<const Made>(0.5F, 1000)};
    const Operand x = g.literal_contents(kept ? oplog::Contents{made.all()} : made, {1000}, f32);
    static_cast<void>(g.binary(BinaryOp::mul, x, x));
    return Replay{g.log, 2}.run().value();
  };
  CHECK(digest(true) == digest(false));
}

TEST_CASE("Replay: a chain of a million additions doesn't use the stack") {
  Graph g;
  const Operand one = g.fill(1, {1}, i32);
  Operand sum = one;
  constexpr std::int64_t kChain = kbsim::test::fewer(1'000'000);
  for (int i = 0; i < kChain; ++i) sum = g.binary(BinaryOp::add, sum, one);
  Replay replay{g.log, 2};
  CHECK(element(replay.evaluate(sum), i32, 0) == kChain + 1);
  replay.release_all();
  static_cast<void>(replay.run());
  CHECK(replay.counters().executed == 2 * (kChain + 1));
}

/// A graph of values of 8 to 64 bytes whose operands are cut together at random, unwritten bytes included.
struct RandomGraph : Graph {
  std::mt19937 random;
  std::vector<oplog::Slice> values;

  explicit RandomGraph(unsigned seed) : random{seed} {
    keep(literal({1, -2, 0.5, 4096}, f16));
    keep(fill(3, {8}, f32));
    for (int i = 0; i < 150; ++i) step();
  }

  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  void keep(const Operand& made) { values.push_back(made.slices[0]); }

  Operand cut(std::int64_t count, DType dtype) {
    Operand what{.slices = {}, .shape = {count}, .dtype = dtype};
    for (std::int64_t left = what.shape.bytes(dtype).count(); left > 0;) {
      oplog::Slice slice = values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
      slice.offset = below(static_cast<int>(slice.bytes));
      slice.bytes = std::min(left, slice.bytes - slice.offset);
      if (below(10) == 0) slice = {.value = {}, .offset = 0, .bytes = slice.bytes};
      what.slices.push_back(slice);
      left -= slice.bytes;
    }
    return what;
  }

  void step() {
    constexpr std::array kTypes{f16, bf16, f32, f64, i32, DType::i8};
    const DType dtype = kTypes[static_cast<std::size_t>(below(6))];
    const Operand input = cut(8, dtype);
    const auto code = std::array{BinaryOp::add, BinaryOp::mul, BinaryOp::maximum}[random() % 3];
    switch (below(4)) {
      case 0: return keep(copy(input));
      case 1: return keep(cast(input, kTypes[static_cast<std::size_t>(below(6))]));
      default: return keep(binary(code, input, cut(below(4) == 0 ? 1 : 8, dtype)));
    }
  }
};

Digest digest_of_evaluated(const oplog::OpLog& log, Replay& replay) {
  Digest all;
  for (const oplog::Op& op : log.ops(0)) {
    const std::int64_t bytes = op.shape.bytes(op.dtype).count();
    const Buffer value =
        replay.evaluate({.slices = {{op.id, 0, bytes}}, .shape = op.shape, .dtype = op.dtype});
    const std::string_view text{reinterpret_cast<const char*>(value.data()), value.size()};
    all.add(op.id.lane).add(op.id.seq).add(Digest{}.add(text).value());
  }
  return all;
}

TEST_CASE("Replay: random graphs give the same bits complete or value by value, on any number of threads") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const RandomGraph g{seed};
    Replay single{g.log, 1};
    const std::uint64_t expected = single.run().value();
    REQUIRE(digest_of_evaluated(g.log, single).value() == expected);
    for (const unsigned threads : {2U, 4U}) {
      Replay replay{g.log, threads};
      REQUIRE(replay.run().value() == expected);
      REQUIRE(replay.run().value() == expected);
      REQUIRE(replay.counters().live == 0_B);
      REQUIRE(digest_of_evaluated(g.log, replay).value() == expected);
      REQUIRE(replay.counters().executed == 3 * 152);
    }
  }
}

TEST_CASE("Replay: the digest of a run changes with any value") {
  std::vector<std::uint64_t> digests;
  for (const double x : {1.0, 2.0}) {
    Graph g;
    static_cast<void>(g.fill(x, {4}, f16));
    digests.push_back(Replay{g.log}.run().value());
  }
  CHECK(digests[0] != digests[1]);
}

TEST_CASE("Replay: of several errors the first of the record is reported, on any number of threads") {
  Graph g;
  const Operand zero = g.fill(0, {1}, i32);
  for (int i = 0; i < 20; ++i) static_cast<void>(g.binary(BinaryOp::div, zero, zero));
  for (const unsigned threads : {1U, 2U, 4U}) {
    Replay replay{g.log, threads};
    CHECK_THROWS_WITH_AS(static_cast<void>(replay.run()),
                         "pe0, operation 1 (div, i32 [1]): integer division by zero", KernelFault);
    CHECK(replay.counters().executed == 1);
    CHECK(replay.counters().live == 0_B);
  }
}

TEST_CASE("Replay: a run leaves out what was reserved and never recorded") {
  Graph g;
  static_cast<void>(g.fill(1, {1}, f16));
  static_cast<void>(g.log.reserve(0));
  Replay replay{g.log};
  static_cast<void>(replay.run());
  CHECK(replay.counters().executed == 1);
}

TEST_CASE("Replay: a circle of operations is our own mistake, found instead of waited for") {
  oplog::OpLog log;
  log.add_lane("pe0");
  const std::array ids{log.reserve(0), log.reserve(0)};
  for (const std::size_t i : {0U, 1U}) {
    oplog::Op op;
    op.id = ids[i];
    op.shape = {1};
    op.inputs = {{.slices = {{ids[1 - i], 0, 2}}, .shape = {1}, .dtype = f16}};
    log.record(op);
  }
  CHECK_THROWS_AS(static_cast<void>(Replay{log}.run()), InternalError);
}

TEST_CASE("Replay: a slice beyond its value is our own mistake") {
  Graph g;
  const Operand a = g.fill(1, {2}, f16);
  const Operand beyond{.slices = {{a.slices[0].value, 2, 4}}, .shape = {2}, .dtype = f16};
  static_cast<void>(g.copy(beyond));
  Replay replay{g.log};
  CHECK_THROWS_WITH_AS(
      static_cast<void>(replay.run()),
      "pe0, operation 1 (copy, f16 [2]): a slice of 4 bytes at 2 of value 0:0, which has 4 bytes",
      InternalError);
}

}  // namespace
}  // namespace kbsim::replay
