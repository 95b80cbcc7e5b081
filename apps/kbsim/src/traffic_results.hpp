#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/hw/traffic/traffic.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_summary.hpp"
#include "kbsim/topology/traffic_pattern.hpp"

#include "commands.hpp"
#include "traffic_options.hpp"

namespace kbsim::app {

/// The points of a sweep, or the one that was asked for.
struct TrafficMeasured {
  std::vector<hw::TrafficResult> points;
  bool whole = true;                 // false: a signal has ended it before, or points of a sweep have failed
  std::optional<Error> failed = {};  // the error of the first failed point
};

/// Contents of run.json and config.resolved.yaml for a run of `kbsim traffic` on a machine. `arguments`
/// outlive the record.
[[nodiscard]] report::RunRecord traffic_record(const Arguments& arguments, std::optional<std::int64_t> seed,
                                               const config::MachineSpec& spec, bool whole);

/// All files of --out but the page.
void write(const report::OutputFolder& folder, const TrafficOptions& options, const report::RunRecord& run,
           const topology::TrafficCase& traffic, const TrafficMeasured& measured,
           const report::RunSummary& summary);
/// On stdout, as a text or with --json.
void print(const TrafficOptions& options, const topology::TrafficCase& traffic,
           const TrafficMeasured& measured);

}  // namespace kbsim::app
