#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/base/digest.hpp"
#include "kbsim/explain/cause_graph.hpp"
#include "kbsim/explain/explanation.hpp"

namespace kbsim::test::causes {

using explain::Derivative;
using explain::Explanation;
using explain::Path;
using explain::Segment;
using explain::Share;

/// An all-reduce of all ranks on the default machine with other settings.
struct Setup {
  std::vector<std::string> overrides;  // "cube.noc.router.overhead_ns=2"
  std::string algorithm = "intercube_allreduce";
  std::int64_t elements = 32;  // of each rank
  int slots = 4;
  bool direct_credit = false;
  bool over_cubes = true;  // a row of each cube's first PE; else all on one PE
  std::size_t all_causes = 0;
  Time poll{};                               // PEs look at their queues so often; 0: they sleep
  std::optional<oplog::ValueId> asked = {};  // an operation, for Outcome::asked
};

struct Outcome {
  /// An operation that took time, and when its kernel called for it.
  struct Ended {
    oplog::ValueId id;
    std::string name;
    Time called{};
    Time end{};
    bool by_math = false;
  };
  Time total{};
  Digest digest;
  std::vector<Explanation> paths = {};  // of the run, then of its launches
  std::vector<Ended> ops = {};
  std::optional<Explanation> asked = {};  // with its margin, if all causes are kept
  bool gave_up = false;                   // there were more moments than all causes should be kept of
  // Predictions for the run if a latency is one picosecond less or more, if all causes are kept.
  struct Guess {
    explain::Prediction less;
    explain::Prediction more;
  };
  std::map<std::string, Guess> guesses = {};
  // Predictions for the run at both ends of a key's range.
  std::map<std::string, Guess> edges = {};
};
[[nodiscard]] Outcome run(const Setup& setup, bool explains = true);
/// The same with another value of a key.
[[nodiscard]] Time total_with(Setup setup, const std::string& key, double value);

/// The derivative by a key; null if it isn't on the path.
[[nodiscard]] const Derivative* find(const Explanation& explanation, const std::string& key);
[[nodiscard]] Time sum(const std::vector<Share>& shares);
/// The first launch of the run, an all-reduce. UsageError if there is none.
[[nodiscard]] const Explanation& launch(const Outcome& outcome);
/// Checks that segments follow each other from begin to end, and that each list sums to the length.
void check_whole(const Explanation& explanation);
/// Checks that the run's path sums to the picosecond, paths are whole, and explaining changes nothing.
void check_paths(const Setup& setup);
/// Compares the predictions for a picosecond less and more of each latency with runs. Counts predictions that
/// are exact, that are wrong because an order flips, and that are wrong otherwise.
struct Checked {
  int exact = 0;
  int flipped = 0;
  int off = 0;
};
[[nodiscard]] Checked check_steps(const Setup& setup, const Outcome& outcome);

}  // namespace kbsim::test::causes
