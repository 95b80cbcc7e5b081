#include "kbsim/sim/executor.hpp"

namespace kbsim {

boost::asio::execution_context& SimulationExecutor::query(boost::asio::execution::context_t) const {
  std::shared_ptr<void>& context = sim_->context();
  if (context == nullptr) context = std::make_shared<boost::asio::execution_context>();
  return *static_cast<boost::asio::execution_context*>(context.get());
}

}  // namespace kbsim
