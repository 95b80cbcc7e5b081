#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/explain/candidates.hpp"

#include "run_options.hpp"

namespace kbsim::app {

/// The time that a run measures, in ns: the latency or time of its document, as kbsim sweep takes it; for an
/// evaluation that of a row, from 1 on. None if the document has none.
[[nodiscard]] std::optional<double> measured_ns(const boost::json::object& document, std::size_t row);

/// The counts of a run's algorithm and machine that waits may depend on. Files aren't read again: they may be
/// pipes.
[[nodiscard]] explain::Counts counts_of(const RunInputs& inputs, const config::MachineSpec& machine,
                                        const config::CclSpec& ccl);

/// A run whose changes are tried, and what it measured.
struct TriedRun {
  const RunOptions& options;
  std::optional<double> measured_ns = {};
  std::size_t row = 0;       // of an evaluation, from 1 on
  std::uint64_t events = 0;  // of the run itself
};
/// At most three changes with their gains. Changes are simulated, one after the other, while they fit in as
/// many events as the run itself has, in at least 100 000 and at most 10 million, about 10 s. The others, and
/// those of a run that measures no time or whose machine comes from a pipe, have their estimates. A refused
/// change is left out. Interrupted passes through.
[[nodiscard]] std::vector<explain::Advice> advice_on(const std::vector<explain::Candidate>& candidates,
                                                     Time length, const TriedRun& run);

}  // namespace kbsim::app
