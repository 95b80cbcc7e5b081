#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/base/options.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/evaluate/parallel.hpp"
#include "kbsim/evaluate/uses.hpp"
#include "kbsim/report/deadlock.hpp"
#include "kbsim/report/output_folder.hpp"

namespace kbsim::report {
class RunTrace;
}

namespace kbsim::evaluate {

/// What an evaluation is asked to do.
struct EvaluationRequest {
  const config::MachineSpec& machine;
  const config::CclSpec& ccl;
  std::string algorithm;                          // "": the default one, or those of its own
  std::optional<config::BufferKind> buffer_kind;  // as asked for; of Algorithms::one it is in `ccl`
  bool values = true;                             // false: --timing-only
  OptionValues own;
  report::OutputPlan outputs;
  Parallel parallel;
  report::RunTrace* trace = nullptr;  // of one that is `traced`: its only simulation's
  bool explain = false;               // of one that is `explained`: rows have "limited_by"
  std::size_t explained_row = 0;      // likewise: this one, from 1 on, has its RowPath, too; 0: none has
  std::optional<std::uint64_t> shuffle_ties = {};  // seed: of all simulations
  bool exact_packets = false;                      // likewise: an event for each packet at each hop
  bool parallel_bound = false;                     // its only simulation says what threads could give it
  std::string alone = {};                          // Evaluation::alone, for who refuses several
  /// What would fail is told before anything is simulated; false: nobody hears of it until the end.
  bool told_before = true;
};

/// What it found: a row a simulation, of numbers and words, from which everything else is made; but for
/// "events", what it cost, which is summed up and kept in no table.
using Rows = boost::json::array;

/// Why a simulation has no row: a fault of its kernels, a limit that it met, what it needs and isn't there, a
/// setting that turned out wrong.
struct FailedSimulation {
  std::string simulation;  // what it was of
  ExitCode exit;
  std::string text;
};

struct Simulated {
  Rows rows;
  bool whole = true;  // false: Ctrl-C, and these are the rows of what had ended
  std::vector<report::NamedDeadlock> deadlocks = {};  // of simulations that have no row
  std::vector<FailedSimulation> failures = {};        // likewise
};
[[nodiscard]] bool has_all_rows(const Simulated& simulated);

/// Many simulations that answer one question together. Its text and its figures are made of its rows alone,
/// so that they can be made again from those of an earlier run.
struct Evaluation {
  std::string doc;
  std::function<Simulated(const EvaluationRequest&)> run;
  std::function<std::string(const Rows&)> text;                           // tables for people
  std::function<void(const Rows&, const report::OutputFolder&)> figures;  // with their data beside them
  OptionSet options = {};                                                 // besides those of every run
  /// UsageError for what can't be simulated: asked before it is, and by --dry-run.
  std::function<void(const EvaluationRequest&)> check = {};
  Algorithms algorithms = Algorithms::any;
  std::optional<config::Collective> collective = {};  // algorithms for any other aren't run
  std::vector<std::string> named = {};                // as Uses::named
  std::vector<UnusedKey> unused = {};
  /// Of one that needs nothing but its name: run without --topology, it has the default machine, and its
  /// results go to this folder unless --out names another.
  std::string folder = {};
  /// Besides `figures`: those that show limits of the machine beside the rows.
  std::function<void(const Rows&, const config::MachineSpec&, const report::OutputFolder&)> limit_figures =
      {};
  /// Writes what its own options name, behind all else.
  std::function<void(const EvaluationRequest&, const Simulated&)> write = {};
  bool timing_only = false;    // it can do without values
  bool explained = false;      // its rows can say what limits them
  bool traced = false;         // it runs under EvaluationRequest::trace, if it has a single simulation
  bool times_by_size = false;  // rows have what report::correlate() compares, so that there is --reference
  /// What has a single simulation of it, for those who ask for what only one has: "-b SIZE -e SIZE". None:
  /// nothing.
  std::string alone = {};
  /// A bench of one simulation that is the like: "gemm_single_pe".
  std::string bench_of_one = "ccl_allreduce";
  /// Those that every evaluation has.
  [[nodiscard]] bool has_function() const { return run && text && figures; }
};
[[nodiscard]] Registry<Evaluation>& evaluations();

}  // namespace kbsim::evaluate
