#pragma once

#include <vector>

#include "kbsim/host/tensor.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host {

/// The elements of `from`, in their order, become those of `to`: as many, of one dtype.
struct ElementCopy {
  Tensor from;
  Tensor to;
};

/// Copies to all replicas, without the host: DMAs of the package of `from` read their own memories and write
/// those of `to`, which may be in another package. A replica of `from` on the target's PE serves it first,
/// then one in the target's cube, then the first one. The orders of all copies, at least one, are sent when
/// the current writers of all tensors have ended; at once if there are none.
[[nodiscard]] Task<> copy_elements(std::vector<ElementCopy> copies);

}  // namespace kbsim::host
