#pragma once

#include <utility>
#include <vector>

#include "kbsim/host/session.hpp"
#include "kbsim/host/tensor.hpp"

namespace kbsim::host {

/// Holds the tensors of an order to the machine. If it goes before that has ended, its rank was cancelled,
/// and the session keeps them: kernels and DMAs may work on them.
class OnOrder {
 public:
  OnOrder(Session& session, std::vector<Tensor> tensors) : session_{session}, tensors_{std::move(tensors)} {}
  OnOrder(OnOrder&&) noexcept = default;
  OnOrder& operator=(OnOrder&&) = delete;
  ~OnOrder() {
    for (const Tensor& tensor : tensors_) session_.keep(tensor.state());
  }
  void ended() { tensors_.clear(); }

 private:
  Session& session_;
  std::vector<Tensor> tensors_;
};

}  // namespace kbsim::host
