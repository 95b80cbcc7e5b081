// Replay of the log of a 512^3 product against Eigen's own product:
//   kbsim_bench_rooms --test-case="*512^3*"
#include <chrono>

#include <Eigen/Core>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/replay/replay.hpp"

#include "../../replay/graph.hpp"

namespace kbsim::replay {
namespace {

constexpr std::int64_t kSize = 512;

template <class F>
double best_milliseconds(const F& f) {
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

template <class T>
double eigen() {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix a = Matrix::Constant(kSize, kSize, T(0.5F));
  const Matrix b = Matrix::Constant(kSize, kSize, T(0.25F));
  Matrix c(kSize, kSize);
  return best_milliseconds([&] { c.noalias() = a * b; });
}

/// The log of a kernel that cuts the product into tiles of `tile` x `tile`, k ascending.
double replayed(DType dtype, std::int64_t tile, unsigned threads) {
  Graph g;
  const DType sum = dtype == f64 ? f64 : f32;
  oplog::Operand result{.slices = {}, .shape = {kSize, kSize}, .dtype = sum};
  const oplog::Operand block = g.fill(0.5, {tile, tile}, dtype);
  for (std::int64_t c = 0; c < (kSize / tile) * (kSize / tile); ++c) {
    oplog::Operand acc = g.fill(0.0, {tile, tile}, sum);
    for (std::int64_t k = 0; k < kSize; k += tile) {
      acc = g.record(oplog::OpKind::dot, {}, sum, {tile, tile}, {block, block, acc});
    }
    result.slices.push_back(acc.slices[0]);
  }
  return best_milliseconds([&] { static_cast<void>(Replay{g.log, threads}.evaluate(result)); });
}

void print(DType dtype, double eigen) {
  for (const std::int64_t tile : {512, 128, 64, 32}) {
    const double one = replayed(dtype, tile, 1);
    const double two = replayed(dtype, tile, 2);
    fmt::print(
        "{:<5} tiles of {:>3}: Eigen {:8.2f} ms, replay {:8.2f} ms on 1 thread ({:.2f} of its speed), "
        "{:8.2f} ms on 2\n",
        to_string(dtype), tile, eigen, one, eigen / one, two);
  }
}

TEST_CASE("Benchmark: a 512^3 product") {
  print(f32, eigen<float>());
  print(f64, eigen<double>());
  print(f16, eigen<Eigen::half>());
  print(bf16, eigen<Eigen::bfloat16>());
}

}  // namespace
}  // namespace kbsim::replay
