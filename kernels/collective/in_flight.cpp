#include "kbsim/kernels/in_flight.hpp"

namespace kbsim::collective {

Task<> InFlight::end_step() {
  for (Pending<void>& operation : step_before_) co_await operation;
  step_before_.clear();
  std::swap(step_before_, this_step_);
}

Task<> InFlight::done() {
  co_await end_step();
  co_await end_step();
}

}  // namespace kbsim::collective
