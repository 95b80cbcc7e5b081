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

/// The part of a tensor on each PE. A slice or another shape is allowed if each PE of the tensor has all of
/// it; UsageError for others.
class LocalParts {
 public:
  explicit LocalParts(const Tensor& tensor);

  /// The parts of the tensor's own shards, in their order.
  [[nodiscard]] const std::vector<LocalPart>& all() const { return all_; }
  /// This block, as that PE sees it; none unless the PE has all of it in one part.
  [[nodiscard]] std::optional<MatrixPart> at(PeCoord pe, const topology::Block& block) const;

 private:
  std::vector<LocalPart> all_;
  bool everywhere_ = false;  // each PE sees all parts

  [[nodiscard]] bool add_shards(const Tensor& tensor);
  [[nodiscard]] bool add_rows(const Tensor& tensor);
  [[nodiscard]] bool add_part(const Tensor& tensor);
};

[[nodiscard]] topology::Block matrix_of(const Shape& shape);
/// The policy as a program writes it: "{.cube = row_wise, .num_pes = 1}".
[[nodiscard]] std::string text_of(const topology::DPPolicy& policy);

}  // namespace kbsim::host
