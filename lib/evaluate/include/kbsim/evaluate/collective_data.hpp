#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/ccl/collective.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/host_array.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::evaluate {

/// One collective: on how much, of what, and what is to be done with it.
struct CollectiveProblem {
  std::int64_t n_elem = 8;  // of each part of the input
  DType dtype = f16;
  Reduction op = Reduction::sum;
  int root = 0;
  bool values = true;  // false: for a run without, which neither needs nor gets any
  bool in_place =
      false;  // of a collective with an output: the smaller tensor is the rank's share of the other
};

/// About what a run of it with values takes of the host's memory at most: its tensors, what becomes of them
/// on the way, and the reference. One without values takes what the machine takes.
[[nodiscard]] Bytes memory_of(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                              const CollectiveProblem& problem);

/// What goes into a collective on a machine, and what must come out. Its host programs are one a package,
/// each with a tensor of a row for each PE that takes part there: a rank has a program, or if ranks are PEs a
/// row; the inputs are small whole numbers, different everywhere, of which no sum is rounded.
class CollectiveData {
 public:
  CollectiveData(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                 const CollectiveProblem& problem);

  [[nodiscard]] const CollectiveProblem& problem() const { return problem_; }
  [[nodiscard]] config::Collective collective() const { return collective_; }
  [[nodiscard]] bool in_place() const { return row_.in_place && (plan_ == nullptr || plan_->in_place); }
  /// Input and output are two views of one tensor, the larger of both: of a plan that works in place, or of a
  /// problem that says so.
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
  /// Without numbers if the problem is.
  [[nodiscard]] host::HostArray input(int program) const;
  /// Where two views overlap: an output with its program's input in its place, and zeros elsewhere.
  [[nodiscard]] host::HostArray output_with_input(int program) const;
  /// Of a plan that names no collective, which may leave parts of its output as they were.
  [[nodiscard]] bool begins_with_zeros() const;
  [[nodiscard]] host::HostArray zeros() const;
  /// A row of a program's output, by the collective's definition; of a plan that names none as its own steps
  /// make it. Only of a problem with values.
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
  int programs_ = 1;
  int cubes_ = 1;
  int pes_ = 1;
  int combined_ = 1;
  std::int64_t out_elems_ = 0;
  std::uint64_t numbers_ = 4;  // 0, 1, ... that inputs of sums are
  std::uint64_t one_in_ = 1;   // of so many isn't 0
  bool over_parts_ = false;    // all parts of a rank become one, not just equal parts of all ranks
  std::vector<std::vector<double>> combinations_;  // by part; one, if all become one
};

}  // namespace kbsim::evaluate
