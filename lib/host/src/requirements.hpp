#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/process_group.hpp"
#include "kbsim/host/tensor.hpp"

namespace kbsim::host {

/// Elements of a tensor on each of its PEs.
[[nodiscard]] std::int64_t elements_per_pe(const Tensor& tensor);

/// Why elements of that dtype can't be combined by the operation; "" if they can.
[[nodiscard]] std::string combination_problem(Reduction op, DType dtype);

/// Checks of a collective's tensors, on one rank. A failed check is a UsageError that begins with `call`.
class Requirements {
 public:
  Requirements(const config::MachineSpec& machine, const InstalledAlgorithm& by, int rank, int device,
               std::string call);

  void require(bool holds, const std::string& why) const;
  /// "" if shards of one size are on all participants, one after the other; else the problem.
  [[nodiscard]] std::string placement_problem(const Tensor& tensor) const;
  void check_placement(const Tensor& tensor) const;
  void check_slot(const Tensor& tensor) const;
  void check_dtypes(const Tensor& input, const Tensor& output) const;
  /// The output must have `times` / `over` times the elements of the input.
  void check_output(const Tensor& input, const Tensor& output, std::int64_t times, std::int64_t over) const;

 private:
  [[nodiscard]] std::string plan_problem(const Tensor& tensor) const;

  const config::MachineSpec& machine_;
  const config::AlgorithmSpec& algorithm_;
  const std::vector<PeCoord>& participants_;
  int rank_;
  int device_;
  std::string call_;
};

}  // namespace kbsim::host
