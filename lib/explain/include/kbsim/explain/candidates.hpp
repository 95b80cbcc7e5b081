#pragma once

#include <string>
#include <vector>

#include "kbsim/explain/advice.hpp"
#include "kbsim/explain/explanation.hpp"

namespace kbsim::explain {

/// A number that a run counts with, as the slots of an algorithm: its key, and its value.
struct CountKey {
  std::string key;
  double value = 0.0;
};
/// The counts that a path may depend on. A key "" has none.
struct Counts {
  CountKey slots;                    // of the run's algorithm: waits for a free one
  CountKey requests;                 // in flight, of a DMA: waits for one to end
  std::vector<CountKey> tiles = {};  // extents of a composite's tiles: memory ports that serve operands
};

/// The counts that a path of this run may depend on: without tiles if no composite was under way.
[[nodiscard]] Counts counts_on(const Path& path, const hw::Machine& machine, Counts counts);

/// The most promising changes, by the estimate: counts that a tenth of the path or more waits for, twice and
/// four times as large; twice as large tiles, if a tenth of it is at memory ports; and the keys whose tenth,
/// in whole cycles for cycles, gives half a percent or more.
[[nodiscard]] std::vector<Candidate> candidates_of(const Explanation& what, const Counts& counts);

}  // namespace kbsim::explain
