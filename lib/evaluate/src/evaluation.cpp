#include "kbsim/evaluate/evaluation.hpp"

namespace kbsim::evaluate {

Registry<Evaluation>& evaluations() {
  static Registry<Evaluation> registry{"evaluation"};
  return registry;
}

}  // namespace kbsim::evaluate
