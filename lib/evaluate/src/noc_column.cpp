#include "kbsim/evaluate/noc_column.hpp"

#include <utility>

namespace kbsim::evaluate {

NocColumn::NocColumn(std::string name) : name_{std::move(name)} {}

void NocColumn::add(const std::string& trace, const std::function<void(const hw::NocBarrierSink&)>& play) {
  const bool fitted = is_fitted(trace);
  Quantiles errors;
  play([&](const hw::NocBarrier& barrier) {
    if (!is_judged(barrier)) return;
    const double error = error_of(barrier);
    errors.add(error);
    points_.add({.fitted = fitted, .measured = barrier.measured, .predicted = barrier.predicted});
    if (worst() == nullptr || error > error_of(worst_.barrier)) worst_ = {.trace = trace, .barrier = barrier};
  });
  traces_.push_back({.name = trace, .errors = errors_of(errors)});
  halves_[fitted ? 0 : 1].add(errors);
}

std::size_t NocColumn::kept() const { return halves_[0].kept() + halves_[1].kept() + points_.kept().size(); }

}  // namespace kbsim::evaluate
