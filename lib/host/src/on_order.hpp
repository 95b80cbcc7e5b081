#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kbsim/host/session.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/hw/control/i_host.hpp"

namespace kbsim::host {

/// Holds the tensors of orders to the machine. If it is destroyed before the orders end, its rank was
/// cancelled. Then the machine's host keeps the tensors until they end: kernels and DMAs may use them.
class OnOrder {
 public:
  using Job = std::shared_ptr<const hw::ControlJob>;
  OnOrder(Session& session, std::vector<Job> jobs, std::vector<Tensor> tensors)
      : host_{&hw::host_of(session.machine())}, jobs_{std::move(jobs)}, tensors_{std::move(tensors)} {}
  OnOrder(OnOrder&&) noexcept = default;
  OnOrder& operator=(OnOrder&&) = delete;
  ~OnOrder() {
    const std::vector<std::shared_ptr<const void>> states = states_of(tensors_);
    for (const Job& job : jobs_) host_->abandon(job, states);
  }
  void ended() {
    jobs_.clear();
    tensors_.clear();
  }

 private:
  static std::vector<std::shared_ptr<const void>> states_of(const std::vector<Tensor>& tensors) {
    std::vector<std::shared_ptr<const void>> all;
    for (const Tensor& tensor : tensors) all.push_back(tensor.state());
    return all;
  }

  hw::IHost* host_;
  std::vector<Job> jobs_;
  std::vector<Tensor> tensors_;
};

}  // namespace kbsim::host
