#pragma once

#include "elements.hpp"

namespace kbsim::inputs::msccl {

/// InputError for a duplicate attribute. Unsupported, with the place and the name, for an unknown attribute,
/// and for one that changes a plan in a way that isn't run.
void require_known_attributes(const Element& element);

}  // namespace kbsim::inputs::msccl
