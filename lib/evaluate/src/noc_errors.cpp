#include "kbsim/evaluate/noc_errors.hpp"

#include <cmath>
#include <cstdint>

namespace kbsim::evaluate {

bool is_fitted(std::string_view base_name) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325ULL;
  for (const char c : base_name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3ULL;
  return hash % 2 == 0;
}

bool is_judged(const hw::NocBarrier& barrier) { return barrier.reads && barrier.measured > 0; }

double error_of(const hw::NocBarrier& barrier) {
  const auto measured = static_cast<double>(barrier.measured);
  return std::abs(barrier.predicted - measured) / measured;
}

NocErrors errors_of(const Quantiles& errors) {
  if (errors.count() == 0) return {};
  return {.barriers = errors.count(),
          .mean = errors.mean(),
          .median = errors.at(0.5),
          .p95 = errors.at(0.95),
          .worst = errors.most()};
}

void NocHalf::add(const Quantiles& errors_of_trace) {
  if (errors_of_trace.count() == 0) return;
  all_.add(errors_of_trace);
  sum_of_means_ += errors_of_trace.mean();
  ++traces_;
}

double NocHalf::mean_of_traces() const {
  return traces_ == 0 ? 0.0 : sum_of_means_ / static_cast<double>(traces_);
}

}  // namespace kbsim::evaluate
