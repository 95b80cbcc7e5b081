#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
#include "kbsim/explain/candidates.hpp"
#include "kbsim/report/deadlock_report.hpp"
#include "kbsim/report/output_folder.hpp"

namespace kbsim::report {
class RunTrace;
}

namespace kbsim::evaluate {

class RowRecords;

/// A request to an evaluation.
struct EvaluationRequest {
  const config::MachineSpec& machine;
  const config::CclSpec& ccl;
  std::string algorithm;                          // "": the default one, or the evaluation's own
  std::optional<config::BufferKind> buffer_kind;  // as asked for; with Algorithms::one, `ccl` has it
  bool values = true;                             // false: --timing-only
  OptionValues own;
  report::OutputPlan outputs;
  Parallel parallel;
  report::RunTrace* trace = nullptr;  // with `traced`: of the only simulation
  bool explain = false;               // with `explained`: rows have "limited_by"
  explain::Counts counts = {};        // likewise, for changes that may help
  std::size_t explained_row = 0;      // likewise: this row, from 1 on, also has its RowPath; 0: none
  RowRecords* records = nullptr;      // rows to record: then they alone are simulated
  std::optional<std::uint64_t> shuffle_ties = {};  // seed of all simulations
  bool exact_packets = false;                      // in all simulations: an event for each packet at each hop
  bool parallel_bound = false;                     // the only simulation reports its bound for threads
  std::string alone = {};                          // Evaluation::alone, for errors about several simulations
  /// Failures are reported before any simulation; false: no report is seen before the end.
  bool checked_before = true;
};

/// The result: one row of numbers and words per simulation, from which all outputs are made. "events", a
/// cost, is summed up and kept in no table.
using Rows = boost::json::array;

/// Why a simulation has no row: a fault of its kernels, a limit, a missing requirement, a wrong setting.
struct FailedSimulation {
  std::string simulation;  // its name
  ExitCode exit;
  std::string text;
};

struct Simulated {
  Rows rows;
  bool whole = true;                                  // false: Ctrl-C ended it; these are the finished rows
  std::vector<report::NamedDeadlock> deadlocks = {};  // of simulations that have no row
  std::vector<FailedSimulation> failures = {};        // likewise
  std::vector<std::size_t> numbers = {};              // of the rows, from 1 on; empty: 1, 2, ...
};
/// The number of rows[i]: those without a row count as well.
[[nodiscard]] std::size_t number_of_row(const Simulated& simulated, std::size_t i);
[[nodiscard]] bool has_all_rows(const Simulated& simulated);

/// Many simulations that answer one question together. Text and figures are made from rows alone, so that
/// rows of an earlier run can be used again.
struct Evaluation {
  std::string doc;
  std::function<Simulated(const EvaluationRequest&)> run;
  std::function<std::string(const Rows&)> text;  // tables for people
  /// Tables with all columns, if `text` leaves some out; for --wide.
  std::function<std::string(const Rows&)> wide_text = {};
  std::function<void(const Rows&, const report::OutputFolder&)> figures;  // with their data beside them
  OptionSet options = {};                                                 // besides those of every run
  /// Throws UsageError if the request can't be simulated. Called before the simulations, and by --dry-run.
  std::function<void(const EvaluationRequest&)> check = {};
  Algorithms algorithms = Algorithms::any;
  std::optional<config::Collective> collective = {};  // algorithms for any other aren't run
  std::vector<std::string> named = {};                // as Uses::named
  std::vector<UnusedKey> unused = {};
  /// The key of the machine's section `software` that its rows have times of; empty: none.
  std::string prints_software = {};
  /// Algorithms run with one of these options of its own alone; empty: in any case.
  std::vector<std::string> algorithms_with = {};
  /// With Algorithms::one, an option of its own with which rows pick their algorithms, and the algorithms
  /// that it leaves to pick from; empty: there is none.
  std::string picks_with = {};
  std::function<std::vector<std::string>(const OptionValues& own, const config::CclSpec&)> to_pick_from = {};
  /// For an evaluation that needs only its name. Without --topology it has the default machine, and its
  /// results go to this folder unless --out names another.
  std::string folder = {};
  /// Besides `figures`: figures that show limits of the machine beside the rows.
  std::function<void(const Rows&, const config::MachineSpec&, const report::OutputFolder&)> limit_figures =
      {};
  /// Writes the files that the evaluation's own options name, after all other files.
  std::function<void(const EvaluationRequest&, const Simulated&)> write = {};
  bool timing_only = false;    // it can do without values
  bool explained = false;      // its rows can say what limits them
  bool records_parts = false;  // it records a part of a row's simulation, and bounds its events
  std::string row = "row";     // one of them is a "phase"
  bool traced = false;         // it runs under EvaluationRequest::trace, if it has a single simulation
  bool times_by_size = false;  // rows have what report::correlate() compares, so that there is --reference
  /// Arguments for a single simulation, for users of options that need one: "-b SIZE -e SIZE". "": there are
  /// none.
  std::string alone = {};
  /// Options of the tool whose options it has, "-g", that it lacks: what replaces each.
  std::map<std::string, std::string> foreign = {};
  /// A bench of one similar simulation: "gemm_single_pe".
  std::string bench_of_one = "ccl_allreduce";
  /// Lines that --dry-run adds for a request that can be simulated.
  std::function<std::string(const EvaluationRequest&)> plan = {};
  /// True if the members are set that every evaluation has.
  [[nodiscard]] bool has_function() const { return run && text && figures; }
};
[[nodiscard]] Registry<Evaluation>& evaluations();

}  // namespace kbsim::evaluate
