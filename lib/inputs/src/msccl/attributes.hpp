#pragma once

#include "elements.hpp"

namespace kbsim::inputs::msccl {

/// InputError for an attribute that stands twice. Unsupported, with the place and the name, for one that
/// changes what a plan does in a way that isn't run, and for one that isn't known.
void require_known_attributes(const Element& element);

}  // namespace kbsim::inputs::msccl
