#pragma once

#include "kbsim/kernels/llm/pe_grid.hpp"

namespace kbsim::llm {

/// rms_norm_rows and layer_norm_rows: each row of x normalised as by rms_norm and layer_norm, in f32, rounded
/// once. x and y may be the same memory. weight and bias have x.cols elements, divided by columns over cubes
/// and replicated on the PEs of each; with `plus_one` a weight w multiplies by 1 + w. rms_norm_rows has no
/// bias. PEs exchange only sums of rows.
struct NormArgs {
  PeGrid grid;
  Activation x, y;
  Ptr weight, bias;
  bool has_weight = true, has_bias = true;  // else 1, and 0
  bool plus_one = false;
  double eps = 1e-5;
};

}  // namespace kbsim::llm
