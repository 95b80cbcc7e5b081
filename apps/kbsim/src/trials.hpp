#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/sweep/plan.hpp"
#include "kbsim/sweep/run_points.hpp"
#include "kbsim/sweep/tables.hpp"

#include "commands.hpp"
#include "scratch_folder.hpp"

namespace kbsim::app {

/// A run that differs from a base by some settings.
struct Trial {
  std::string name;   // "cube.noc.link_bw_gbs=512 ccl.defaults.n_slots=8"; "" of the base itself
  Arguments words{};  // behind those of the base
};

/// What a trial found.
struct TrialResult {
  int exit = 0;
  std::string message = {};  // of one that failed
  std::vector<sweep::Metric> metrics = {};
  boost::json::object document = {};  // as --json prints it; with "explain", without the paths' segments
};

struct TrialOptions {
  unsigned jobs = 0;  // at a time; 0: one a core
  bool quiet = false;
};

/// UsageError naming the first output of one run among the arguments, or one of the bench that names a file.
void require_no_outputs(const Arguments& run);

/// Runs trials of one base in processes of their own, several at a time. While it lives a signal asks for the
/// end in an orderly way. The process may have no other threads.
class Trials {
 public:
  /// `base`: arguments of kbsim run. Its plug-ins are loaded. UsageError or ConfigError if it can't be read.
  Trials(Arguments base, const TrialOptions& options);

  /// All of them, in their order; nullopt of those that a signal left without a result. The base is simulated
  /// once.
  [[nodiscard]] std::vector<std::optional<TrialResult>> run(const std::vector<Trial>& trials);
  /// With --explain, unless the base refuses that: then all trials go without.
  void want_explanations();
  [[nodiscard]] bool explains() const { return explains_; }
  /// A signal has asked for the end: nothing more runs.
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  /// Why a trial's configuration can't be read; "" if it can. Nothing is simulated.
  [[nodiscard]] std::string why_refused(const Trial& trial) const;
  /// "kbsim run ...", as a shell takes it.
  [[nodiscard]] std::string command_of(const Trial& trial) const;

 private:
  [[nodiscard]] Arguments words_of(const Trial& trial) const;
  [[nodiscard]] std::vector<std::optional<TrialResult>> simulate(const std::vector<Trial>& trials);
  StopSignals signals_;  // between runs, too
  Arguments base_;
  TrialOptions options_;
  bool explains_ = false;
  bool interrupted_ = false;
  std::optional<TrialResult> base_result_;
  ScratchFolder folder_{"trials"};
};

/// A setting or several, "a.b=1 c=2": a blank in front of NAME= divides them. Of a value that is a list or a
/// range, as kbsim sweep takes it, a trial for each; of several such values all combinations.
[[nodiscard]] std::vector<Trial> trials_of(const std::string& settings);

/// Arguments that mix a command's own options with those of kbsim run. What stands behind `--` is the run's.
struct MixedArguments {
  Arguments own;
  Arguments run;
};
/// `valued` and `switches`: the command's own options, with their dashes.
[[nodiscard]] MixedArguments divided(const Arguments& given, const std::vector<std::string>& valued,
                                     const std::vector<std::string>& switches);

/// The metric of that name or, of "", the one that kbsim sweep takes: the latency, or else the time.
/// UsageError with the nearest name; "" if there is none at all.
[[nodiscard]] std::string chosen_metric(const std::vector<sweep::Metric>& metrics, const std::string& asked);
[[nodiscard]] const sweep::Metric* metric_named(const std::vector<sweep::Metric>& metrics,
                                                const std::string& name);

}  // namespace kbsim::app
