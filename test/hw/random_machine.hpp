#pragma once

#include <cstdint>
#include <random>

#include "kbsim/topology/graph.hpp"

namespace kbsim::hw::test {

/// Whole numbers from a seed, the same with every library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_{seed} {}
  [[nodiscard]] int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  [[nodiscard]] int between(int first, int last) { return first + below(last - first + 1); }
  template <class T, std::size_t N>
  [[nodiscard]] T any_of(const T (&choices)[N]) {
    return choices[below(static_cast<int>(N))];
  }

 private:
  std::mt19937_64 engine_;
};

/// Counts, rates, overheads, lengths and packet size all differ; windows are wide enough for a single flow.
[[nodiscard]] config::MachineSpec random_machine(Random& random);
/// The same, many with a floor plan: PEs at any routers, memory channels that all share, rings, one-way
/// rings, and a second network; and many with frames, latencies, and ports that store packets or have
/// processors between chips.
[[nodiscard]] config::MachineSpec varied_machine(Random& random);
/// With few slots at the ends of links between chips.
[[nodiscard]] config::MachineSpec with_slots(Random& random, config::MachineSpec spec);
/// Without processors of ports between chips; and without ports that store packets, either.
[[nodiscard]] config::MachineSpec without_processors(config::MachineSpec spec);
[[nodiscard]] config::MachineSpec without_ports(config::MachineSpec spec);
/// A machine with delays of whole nanoseconds and rates at which 64 B take one, so that many
/// independent events have the same time.
[[nodiscard]] config::MachineSpec in_step(config::MachineSpec spec);
[[nodiscard]] PeCoord random_pe(Random& random, const config::MachineSpec& spec);

}  // namespace kbsim::hw::test
