#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kbsim/hw/traffic/noc_replay.hpp"

namespace kbsim::evaluate {

/// A trace is fitted, not judged, if the 64-bit FNV-1a hash of its base name is even.
[[nodiscard]] bool is_fitted(std::string_view base_name);

/// |predicted - measured end| over the measured time from the barrier's first outstanding read to its end.
[[nodiscard]] double error_of(const hw::NocBarrier& barrier);
/// Reads went before it, and time passed since the first of them.
[[nodiscard]] bool is_judged(const hw::NocBarrier& barrier);

/// Errors of judged barriers.
struct NocErrors {
  std::size_t barriers = 0;
  double mean = 0.0;
  double median = 0.0;
  double p95 = 0.0;
  double worst = 0.0;
};
[[nodiscard]] NocErrors errors_of(std::vector<double> errors);

/// What a trace gave.
struct NocTraceErrors {
  std::string name;  // of its file, without folders
  std::vector<hw::NocBarrier> barriers;

  [[nodiscard]] std::vector<double> errors() const;
};

/// Of several traces: all barriers alike, and all traces alike.
struct NocMeans {
  NocErrors all;
  double of_traces = 0.0;  // the mean of their means
  std::size_t traces = 0;  // that have judged barriers
};
[[nodiscard]] NocMeans means_of(const std::vector<NocTraceErrors>& traces);

}  // namespace kbsim::evaluate
