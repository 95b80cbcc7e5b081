#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/app/bench.hpp"

namespace kbsim::app {

/// The packages that --device names for a bench: `sip:N`, or `all`. UsageError for any other text, for a
/// package that the machine doesn't have, and for a choice without effect on the bench.
[[nodiscard]] std::vector<int> devices_named(const std::string& text, const config::MachineSpec& machine,
                                             const std::string& name, const Bench& bench);

/// Runs a copy of the bench on each of these packages at once. All packages: one spawned rank per copy. The
/// report has a copy's lines under its package, and its results in `devices`.
[[nodiscard]] Task<> run_on(host::Rank& main, std::vector<int> sips, const Bench* bench, BenchRequest request,
                            BenchReport* report);

/// True if a bench has reported more than text; for copies, if any of them has.
[[nodiscard]] bool has_rows(const BenchReport& report);
/// The rows of a report: one, or one per package.
[[nodiscard]] boost::json::array rows_of(const BenchReport& report);

}  // namespace kbsim::app
