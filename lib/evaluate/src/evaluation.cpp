#include "kbsim/evaluate/evaluation.hpp"

namespace kbsim::evaluate {

Registry<Evaluation>& evaluations() {
  static Registry<Evaluation> registry{"evaluation"};
  return registry;
}

bool has_all_rows(const Simulated& simulated) {
  return simulated.whole && !simulated.rows.empty() && simulated.deadlocks.empty() &&
         simulated.failures.empty();
}

}  // namespace kbsim::evaluate
