#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/base/quantiles.hpp"
#include "kbsim/hw/traffic/noc_replay.hpp"

namespace kbsim::evaluate {

/// A trace is fitted, not judged, if the 64-bit FNV-1a hash of its base name is even.
[[nodiscard]] bool is_fitted(std::string_view base_name);

/// |predicted - measured end| over the measured time from the barrier's first outstanding read to its end.
[[nodiscard]] double error_of(const hw::NocBarrier& barrier);
/// True if reads went before the barrier, and time passed since the first of them.
[[nodiscard]] bool is_judged(const hw::NocBarrier& barrier);

/// Errors of judged barriers.
struct NocErrors {
  std::uint64_t barriers = 0;
  double mean = 0.0;
  double median = 0.0;
  double p95 = 0.0;
  double worst = 0.0;
};
[[nodiscard]] NocErrors errors_of(const Quantiles& errors);

/// Errors of one trace.
struct NocTraceErrors {
  std::string name;  // of its file, without folders
  NocErrors errors;
};

/// Errors of the traces of one half: each barrier weighs the same, and each trace weighs the same.
class NocHalf {
 public:
  void add(const Quantiles& errors_of_trace);

  [[nodiscard]] NocErrors all() const { return errors_of(all_); }
  [[nodiscard]] double mean_of_traces() const;
  [[nodiscard]] std::size_t traces() const { return traces_; }  // that have judged barriers
  [[nodiscard]] std::size_t kept() const { return all_.kept(); }

 private:
  Quantiles all_;
  double sum_of_means_ = 0.0;
  std::size_t traces_ = 0;
};

}  // namespace kbsim::evaluate
