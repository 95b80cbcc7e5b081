#pragma once

#include <string>
#include <vector>

#include "kbsim/app/bench.hpp"

namespace kbsim::app {

/// The packages that --device names for a bench: `sip:N`, or `all`. UsageError for anything else, for one
/// that the machine doesn't have, and for what has no effect on the bench.
[[nodiscard]] std::vector<int> devices_named(const std::string& text, const config::MachineSpec& machine,
                                             const std::string& name, const Bench& bench);

/// The bench on each of these packages at once, a copy each, by ranks of their own if they are all. The
/// report has a copy's lines under its package, and its results in `devices`.
[[nodiscard]] Task<> run_on(host::Rank& main, std::vector<int> sips, const Bench* bench, BenchRequest request,
                            BenchReport* report);

/// Whether a bench has reported anything but text; of copies, any of them.
[[nodiscard]] bool has_rows(const BenchReport& report);
/// The rows of a report: one, or one a package.
[[nodiscard]] boost::json::array rows_of(const BenchReport& report);

}  // namespace kbsim::app
