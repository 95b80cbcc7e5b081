#include "kbsim/evaluate/evaluation.hpp"

namespace kbsim::evaluate {

Registry<Evaluation>& evaluations() {
  static Registry<Evaluation> registry{"evaluation"};
  return registry;
}

std::size_t number_of_row(const Simulated& simulated, std::size_t i) {
  return i < simulated.numbers.size() ? simulated.numbers[i] : i + 1;
}

bool has_all_rows(const Simulated& simulated) {
  return simulated.whole && !simulated.rows.empty() && simulated.deadlocks.empty() &&
         simulated.failures.empty();
}

}  // namespace kbsim::evaluate
