#include "kbsim/evaluate/noc_errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "kbsim/base/statistics.hpp"

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

NocErrors errors_of(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::ranges::sort(errors);
  const std::span<const double> ascending{errors};
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
  return {.barriers = errors.size(),
          .mean = sum / static_cast<double>(errors.size()),
          .median = nearest_rank(ascending, 0.5),
          .p95 = nearest_rank(ascending, 0.95),
          .worst = errors.back()};
}

std::vector<double> NocTraceErrors::errors() const {
  std::vector<double> all;
  for (const hw::NocBarrier& barrier : barriers)
    if (is_judged(barrier)) all.push_back(error_of(barrier));
  return all;
}

NocMeans means_of(const std::vector<NocTraceErrors>& traces) {
  NocMeans means;
  std::vector<double> all;
  for (const NocTraceErrors& trace : traces) {
    const std::vector<double> own = trace.errors();
    if (own.empty()) continue;
    all.insert(all.end(), own.begin(), own.end());
    means.of_traces += errors_of(own).mean;
    ++means.traces;
  }
  if (means.traces > 0) means.of_traces /= static_cast<double>(means.traces);
  means.all = errors_of(std::move(all));
  return means;
}

}  // namespace kbsim::evaluate
