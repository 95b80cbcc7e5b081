#pragma once

#include "kbsim/host/dtensor/dtensor.hpp"

namespace kbsim::host::dtensor {

/// With dimensions that count from 0. UsageError for a placement too many or too few, and for a dimension
/// that isn't there, and for Partials of reductions whose order matters.
[[nodiscard]] Placements normalized(Placements placements, const DeviceMesh& mesh, const Shape& shape);

}  // namespace kbsim::host::dtensor
