// Throughput of arithmetic, reading two arrays and writing one:
//   kbsim_bench_rooms --test-case="*operations*"
#include <chrono>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/replay/replay.hpp"

#include "../../replay/graph.hpp"

namespace kbsim::replay {
namespace {

constexpr std::int64_t kElements = 1 << 20;
constexpr int kOperations = 50;

double gigabytes_per_second(oplog::BinaryOp op, DType dtype) {
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    Graph g;
    const oplog::Operand a = g.fill(1.5, {kElements}, dtype);
    oplog::Operand sum = a;
    for (int i = 0; i < kOperations; ++i) sum = g.binary(op, sum, a);
    Replay replay{g.log, 1};
    static_cast<void>(replay.evaluate(a));
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(replay.evaluate(sum));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const auto bytes = static_cast<double>(3 * kOperations * Shape{kElements}.bytes(dtype).count());
    best = std::max(best, bytes / took.count() / 1e9);
  }
  return best;
}

TEST_CASE("Benchmark: binary operations on one thread") {
  for (const DType dtype : {f16, bf16, f32, f64, i32}) {
    for (const oplog::BinaryOp op : {oplog::BinaryOp::add, oplog::BinaryOp::maximum}) {
      fmt::print("{:<5} {:<8} {:6.2f} GB/s\n", to_string(dtype), oplog::to_string(op),
                 gigabytes_per_second(op, dtype));
    }
  }
}

TEST_CASE("Benchmark: a complete run of a million small operations") {
  Graph g;
  const oplog::Operand one = g.fill(1, {16}, f32);
  for (int i = 0; i < 1'000'000; ++i) static_cast<void>(g.binary(oplog::BinaryOp::add, one, one));
  for (const unsigned threads : {1U, 2U}) {
    Replay replay{g.log, threads};
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(replay.run());
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    fmt::print("{} threads: {:.2f} us an operation\n", threads, took.count() / 1e6);
  }
}

}  // namespace
}  // namespace kbsim::replay
