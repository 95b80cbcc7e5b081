#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/host_array.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::evaluate {

/// Size, type and options of one collective.
struct CollectiveProblem {
  std::int64_t n_elem = 8;  // of each part of the input
  DType dtype = f16;
  Reduction op = Reduction::sum;
  int root = 0;
  bool values = true;  // false: a run without values, which neither needs nor gets any
  bool in_place =
      false;  // with a separate output: the smaller of input and output is the rank's share of the other
};

/// Upper estimate of the host memory that a run with values takes: its tensors, their copies on the way, and
/// the reference. 0 without values: such a run takes only the machine's memory.
[[nodiscard]] Bytes memory_of(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                              const CollectiveProblem& problem);

/// Inputs and expected outputs of a collective on a machine. Each package has one host program, with a tensor
/// of one row per participating PE. A rank is a program, or a row if ranks are PEs. Inputs are small whole
/// numbers, different everywhere; none of their sums is rounded.
class CollectiveData {
 public:
  CollectiveData(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                 const CollectiveProblem& problem);

  [[nodiscard]] const CollectiveProblem& problem() const { return problem_; }
  [[nodiscard]] config::Collective collective() const { return collective_; }
  [[nodiscard]] bool in_place() const { return row_.in_place && (plan_ == nullptr || plan_->in_place); }
  /// Input and output are two views of one tensor, the larger of both. True for a plan that works in place,
  /// or a problem with `in_place`.
  [[nodiscard]] bool overlaps() const {
    return !row_.in_place && (plan_ != nullptr ? plan_->in_place : problem_.in_place);
  }
  /// Packages with PEs that take part.
  [[nodiscard]] int programs() const { return programs_; }
  [[nodiscard]] int ranks() const { return flat_ ? programs_ * parts() : programs_; }
  /// Parts of a program's tensor.
  [[nodiscard]] int parts() const { return cubes_ * pes_; }
  /// Parts that become one, of all ranks together.
  [[nodiscard]] int combined() const { return combined_; }
  [[nodiscard]] std::int64_t out_elems() const { return out_elems_; }

  /// How a program's tensor lies on its package.
  [[nodiscard]] host::TensorOptions placed(std::string name) const;
  /// Without numbers if the problem has no values.
  [[nodiscard]] host::HostArray input(int program) const;
  /// For overlapping views: an output with its program's input in its place, and zeros elsewhere.
  [[nodiscard]] host::HostArray output_with_input(int program) const;
  /// True for a plan that names no collective, which may leave parts of its output unchanged.
  [[nodiscard]] bool begins_with_zeros() const;
  [[nodiscard]] host::HostArray zeros() const;
  /// A row of a program's output, by the collective's definition; for a plan that names none, by its own
  /// steps. Only for a problem with values.
  [[nodiscard]] std::vector<double> expected(int program, int part) const;

 private:
  [[nodiscard]] double in(int rank, int part, std::int64_t i) const;
  [[nodiscard]] std::vector<double> arriving(int program) const;
  void combine(std::vector<double>& all, int rank, int part) const;
  [[nodiscard]] double combination(int part, std::int64_t i) const {
    return combinations_[over_parts_ ? 0 : static_cast<std::size_t>(part)][static_cast<std::size_t>(i)];
  }

  CollectiveProblem problem_;
  config::Collective collective_;
  const ccl::CollectiveEntry& row_;
  const ccl::Plan* plan_ = nullptr;  // none: a kernel
  topology::DPPolicy plan_placement_ = {};
  std::vector<std::vector<ccl::PlanSum>> outputs_;  // by rank and chunk, of a plan that names no collective
  bool flat_ = false;                               // ranks are PEs
  bool shared_ = false;                             // PEs use parts of others
  int programs_ = 1;
  int cubes_ = 1;
  int pes_ = 1;
  int combined_ = 1;
  std::int64_t out_elems_ = 0;
  std::uint64_t numbers_ = 4;  // inputs of sums are 0, 1, ... below this
  std::uint64_t one_in_ = 1;   // one input in this number isn't 0
  bool over_parts_ = false;    // all parts of a rank become one, not just equal parts of all ranks
  std::vector<std::vector<double>> combinations_;  // by part; one, if all become one
};

}  // namespace kbsim::evaluate
