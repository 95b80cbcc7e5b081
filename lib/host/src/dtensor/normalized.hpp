#pragma once

#include "kbsim/host/dtensor/dtensor.hpp"

namespace kbsim::host::dtensor {

/// The placements with dimensions that count from 0. UsageError for a wrong number of placements, for a
/// dimension that doesn't exist, and for Partials of reductions whose order matters.
[[nodiscard]] Placements normalized(Placements placements, const DeviceMesh& mesh, const Shape& shape);

}  // namespace kbsim::host::dtensor
