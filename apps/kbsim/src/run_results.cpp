#include "run_results.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "kbsim/base/say.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/replay/checks.hpp"
#include "kbsim/replay/prints.hpp"
#include "kbsim/report/launches.hpp"
#include "kbsim/report/output_file.hpp"

#include "device_option.hpp"
#include "report_results.hpp"
#include "standing_line.hpp"

namespace kbsim::app {
namespace {

// Documents have all explanations.
Purpose purpose_of(const RunOptions& options) {
  const auto& [inputs, outputs, watch] = options;
  const bool kept = outputs.kept != nullptr && outputs.kept->with_explanation;
  return {.wanted = watch.explain,
          .whole = kept || outputs.json || !outputs.out.empty(),
          .rechecked = watch.recheck};
}

// Writes --oplog's file, and returns its checksums; none without --oplog.
std::optional<LogChecksums> log_of(const RunOutputs& outputs, host::Session& session) {
  if (outputs.oplog.empty()) return std::nullopt;
  write_log(outputs.oplog, session.log());
  if (!outputs.quiet) report::say_written(outputs.oplog);
  return checksums(session.log(), session.replay());
}

}  // namespace

Results results_of(const ReadyRun& run, BenchReport report, const explain::OpMarks& marks) {
  const std::size_t races = run.session.machine().races().reports().size();
  const bool by_launch = !has_rows(report);
  Results found{.report = std::move(report), .by_launch = by_launch, .races = races};
  if (by_launch) found.launches = report::launch_rows(hw::host_of(run.session.machine()).orders());
  found.explained = explanations_of(run.session, purpose_of(run.options), marks,
                                    run.options.watch.question.value_or(explain::PathQuestion{}));
  return found;
}

void compute(const ReadyRun& run, Results& results) {
  self_profile::phase(WorkKind{"report"});
  host::Session& session = run.session;
  {
    const StandingLine progress{
        {.shown = shows_progress(run.options.outputs), .start = run.options.watch.start}};
    if (run.options.outputs.kept == nullptr) {
      for (const std::string& line : replay::prints(session.log(), session.replay())) say("{}\n", line);
      print_races(session.machine().races().reports());
    }
    results.log = log_of(run.options.outputs, session);
    replay::check(session.log(), session.replay());
  }
  results.summary = summary_of(run);
}

report::RunSummary summary_of(const ReadyRun& run) {
  hw::Machine& machine = run.session.machine();
  return {.simulated = run.session.sim().now(),
          .events = machine.events(),
          .digest = machine.digest(),
          .wall = std::chrono::steady_clock::now() - run.options.watch.start,
          .peak_memory = report::peak_memory(),
          .resident = run.session.resident(),
          .race_memory = machine.races().memory()};
}

}  // namespace kbsim::app
