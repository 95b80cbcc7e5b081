#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <span>

#include <Eigen/Core>
#include <doctest/doctest.h>

#include "kbsim/replay/replay.hpp"

#include "graph.hpp"

namespace kbsim::replay {
namespace {

/// Floats of any bits, but no NaN: of those Eigen keeps the payload, and we the positive quiet one.
std::vector<float> any_floats(unsigned seed, std::size_t n) {
  std::mt19937 random{seed};
  std::vector<float> all;
  while (all.size() < n) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(x)) all.push_back(x);
  }
  return all;
}

template <class T>
void check_cast(const std::vector<float>& from, DType dtype) {
  std::vector<T> expected;
  for (const float x : from) expected.push_back(static_cast<T>(x));
  const auto source = std::as_bytes(std::span{from});
  const auto bits = std::as_bytes(std::span{expected});
  Graph g;
  const oplog::Operand x = g.literal_bytes({source.begin(), source.end()}, f32);
  REQUIRE(Replay{g.log, 1}.evaluate(g.cast(x, dtype)) == Buffer(bits.begin(), bits.end()));
}

TEST_CASE("cast: f32 to f16 and bf16 is bit-exact against Eigen's scalar conversion, for any bits") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const std::vector<float> from = any_floats(seed, 100'000);
    check_cast<Eigen::half>(from, f16);
    check_cast<Eigen::bfloat16>(from, bf16);
  }
}

TEST_CASE("cast: midway between two neighbours the even one is taken, in f16 and bf16") {
  std::vector<float> midway;
  for (std::uint32_t code = 0; code < 0x7bff; ++code) {  // below the greatest f16
    const auto at = [](std::uint32_t bits) {
      return static_cast<float>(std::bit_cast<Eigen::half>(static_cast<std::uint16_t>(bits)));
    };
    midway.push_back((at(code) + at(code + 1)) / 2);
  }
  check_cast<Eigen::half>(midway, f16);
  std::vector<float> wide;
  for (std::uint32_t code = 0; code < 0x7f7f; ++code)
    wide.push_back(std::bit_cast<float>(code << 16 | 0x8000U));
  check_cast<Eigen::bfloat16>(wide, bf16);
}

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor random_matrix(std::mt19937& random, Eigen::Index rows, Eigen::Index columns) {
  std::normal_distribution<float> number;
  return RowMajor::NullaryExpr(rows, columns, [&] { return number(random); });
}

/// Panels of 256 rows of b, one after the other.
RowMajor by_panels(const RowMajor& a, const RowMajor& b) {
  RowMajor sum = RowMajor::Zero(a.rows(), b.cols());
  for (Eigen::Index k = 0; k < a.cols(); k += 256) {
    const Eigen::Index depth = std::min<Eigen::Index>(256, a.cols() - k);
    sum.noalias() += a.middleCols(k, depth) * b.middleRows(k, depth);
  }
  return sum;
}

Buffer bytes_of(const RowMajor& matrix) {
  const auto bytes =
      std::as_bytes(std::span{matrix.data(), static_cast<std::size_t>(matrix.rows() * matrix.cols())});
  return {bytes.begin(), bytes.end()};
}

oplog::Operand literal_of(Graph& g, const RowMajor& matrix) {
  return g.literal_contents(std::make_shared<const Buffer>(bytes_of(matrix)), {matrix.rows(), matrix.cols()},
                            f32);
}

TEST_CASE("dot: f32 is bit-exact against Eigen's products of panels, for any extents") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const auto below = [&](unsigned n) { return static_cast<Eigen::Index>(random() % n); };
    const Eigen::Index m = 1 + below(seed % 8 == 0 ? 200 : 40);
    const Eigen::Index n = seed % 3 == 0 ? 1 + below(100) : 8 + 8 * below(seed % 8 == 1 ? 150 : 20);
    const RowMajor a = random_matrix(random, m, 1 + below(600));
    const RowMajor b = random_matrix(random, a.cols(), n);
    CAPTURE(m);
    CAPTURE(a.cols());
    CAPTURE(n);
    Graph g;
    const std::vector<oplog::Operand> inputs{literal_of(g, a), literal_of(g, b)};
    const oplog::Operand product = g.record(oplog::OpKind::dot, {}, f32, {m, n}, inputs);
    REQUIRE(Replay{g.log, 1}.evaluate(product) == bytes_of(by_panels(a, b)));
  }
}

}  // namespace
}  // namespace kbsim::replay
