#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kbsim::bench {

// Workloads of the engines, in C++17, as SystemC is. Times are picoseconds.
//   W1: processes that each wait a random time, again and again; an item is a wake-up.
//   W2: a pipeline of stages, joined by FIFOs; an item is one through a stage.
//   W3: an 8 x 8 mesh, a process for each input port, exponential arrivals at half load; an item is a hop.

/// Marsaglia's xorshift.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed * 0x9e37'79b9'7f4a'7c15ULL + 1} {}
  /// Below `n`.
  std::uint64_t below(std::uint64_t n) { return ((next() >> 32U) * n) >> 32U; }
  /// Exponential, rounded.
  std::int64_t exponential(double mean) {
    const double uniform = (static_cast<double>(next() >> 11U) + 1.0) / 9007199254740992.0;
    return std::llround(-std::log(uniform) * mean);
  }

 private:
  std::uint64_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }
  std::uint64_t state_;
};

/// W1: a random whole number of nanoseconds from 1 to 1000.
inline std::int64_t next_delay(Random& random) {
  return static_cast<std::int64_t>(random.below(1000) + 1) * 1000;
}

// W2.
constexpr std::size_t kStages = 64;
constexpr std::size_t kPlaces = 4;
constexpr std::int64_t kService = 10'000;

// W3.
constexpr int kSide = 8;
constexpr int kNodes = kSide * kSide;
constexpr int kDirections = 4;  // E, W, N, S
constexpr int kHere = kDirections;
constexpr int kInputs = kDirections + 1;  // the last is the node's own

struct Packet {
  int target = 0;
  std::int64_t service = 0;  // that it holds a link
};

/// A node's packets: to random nodes, 1 to 4 ns each on a link, one in 10 ns.
class Arrivals {
 public:
  explicit Arrivals(int node) : random_{static_cast<std::uint64_t>(node)} {}
  std::int64_t interval() { return random_.exponential(10'000.0); }
  Packet packet() {
    const auto target = static_cast<int>(random_.below(kNodes));
    return {target, static_cast<std::int64_t>(random_.below(4) + 1) * 1000};
  }

 private:
  Random random_;
};

/// Columns first.
inline int direction(int node, int target) {
  const int dx = target % kSide - node % kSide;
  const int dy = target / kSide - node / kSide;
  if (dx != 0) return dx > 0 ? 0 : 1;
  if (dy != 0) return dy > 0 ? 2 : 3;
  return kHere;
}
inline int neighbour(int node, int direction) {
  constexpr std::array<int, kDirections> kStep{1, -1, kSide, -kSide};
  return node + kStep[static_cast<std::size_t>(direction)];
}
/// Packets per node, for about `hops` hops in all; a packet makes 5.25 hops on average.
inline std::int64_t packets_for(std::int64_t hops) {
  return std::llround(static_cast<double>(hops) / kNodes / 5.25);
}

}  // namespace kbsim::bench
