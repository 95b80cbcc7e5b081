#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/sweep/run_points.hpp"
#include "kbsim/sweep/sweep_plan.hpp"
#include "kbsim/sweep/tables.hpp"

#include "commands.hpp"
#include "scratch_folder.hpp"

namespace kbsim::app {

/// A run that differs from a base by some settings.
struct Trial {
  std::string name;   // "cube.noc.link_bw_gbs=512 ccl.defaults.n_slots=8"; "" of the base itself
  Arguments words{};  // after those of the base
};

/// Result of a trial.
struct TrialResult {
  int exit = 0;
  std::string message = {};  // of one that failed
  std::vector<sweep::Metric> metrics = {};
  boost::json::object document = {};  // as --json prints it; with "explain", without the paths' segments
};

struct TrialOptions {
  unsigned jobs = 0;  // at a time; 0: one per core
  bool quiet = false;
};

/// UsageError naming the first argument that is an output of one run, or an option of the bench that names a
/// file.
void require_no_outputs(const Arguments& run);

/// Runs trials of one base in processes of their own, several at a time. During its lifetime a signal ends
/// them in an orderly way. The process may have no other threads.
class Trials {
 public:
  /// `base`: arguments of kbsim run. Its plug-ins are loaded. UsageError or ConfigError if it can't be read.
  Trials(Arguments base, const TrialOptions& options);

  /// Results of the trials, in their order; nullopt for trials that a signal left without a result. The base
  /// is simulated once.
  [[nodiscard]] std::vector<std::optional<TrialResult>> run(const std::vector<Trial>& trials);
  /// Adds --explain to all trials, unless the base refuses it.
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

/// Trials of one or several settings, "a.b=1 c=2"; a blank before NAME= divides them. A list or a range, as
/// in kbsim sweep, gives one trial per value. Several of these give all combinations.
[[nodiscard]] std::vector<Trial> trials_of(const std::string& settings);

/// Arguments that mix a command's own options with those of kbsim run. Words after `--` are the run's.
struct MixedArguments {
  Arguments own;
  Arguments run;
};
/// `valued` and `switches`: the command's own options, with their dashes.
[[nodiscard]] MixedArguments divided(const Arguments& given, const std::vector<std::string>& valued,
                                     const std::vector<std::string>& switches);

/// The metric of that name; for "" the default of kbsim sweep: the latency, or else the time. UsageError with
/// the nearest name; "" if there is no metric at all.
[[nodiscard]] std::string chosen_metric(const std::vector<sweep::Metric>& metrics, const std::string& asked);
[[nodiscard]] const sweep::Metric* metric_named(const std::vector<sweep::Metric>& metrics,
                                                const std::string& name);

}  // namespace kbsim::app
