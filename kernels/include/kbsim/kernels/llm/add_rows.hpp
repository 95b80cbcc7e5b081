#pragma once

#include "kbsim/kernels/llm/pe_grid.hpp"

namespace kbsim::llm {

/// add_rows: x plus more, element by element, in f32, rounded once; in x's memory. Both have one shape.
struct AddRowsArgs {
  PeGrid grid;
  Activation x, more;
};

}  // namespace kbsim::llm
