#include <bit>
#include <cmath>
#include <random>

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

}  // namespace
}  // namespace kbsim::replay
