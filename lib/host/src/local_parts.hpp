#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbsim/host/tensor.hpp"
#include "kbsim/tl/operator_args.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::host {

/// A block of a tensor, as a matrix whose columns are its last axis, in a PE's memory.
struct LocalPart {
  PeCoord pe;
  topology::Block block;
  MatrixPart memory;
};

/// What each PE has of a tensor. UsageError for a slice or another shape whose rows lie on several PEs.
class LocalParts {
 public:
  explicit LocalParts(const Tensor& tensor);

  /// Those of the tensor's own shards, in their order.
  [[nodiscard]] const std::vector<LocalPart>& all() const { return all_; }
  /// This block, as that PE sees it; none if it hasn't all of it in one part.
  [[nodiscard]] std::optional<MatrixPart> at(PeCoord pe, const topology::Block& block) const;

 private:
  std::vector<LocalPart> all_;
  bool everywhere_ = false;  // each PE sees all parts
};

[[nodiscard]] topology::Block matrix_of(const Shape& shape);
/// As a program would write it: "{.cube = row_wise, .num_pes = 1}".
[[nodiscard]] std::string to_string(const topology::DPPolicy& policy);

}  // namespace kbsim::host
