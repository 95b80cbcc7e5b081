#pragma once

#include <cstdint>

#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// softmax: each of `rows` rows of `cols` elements, in blocks of rows that `programs` PEs of a cube take in
/// turn. Computes in f32.
struct SoftmaxArgs {
  Ptr x, out;
  std::int64_t rows = 0, cols = 0;
  std::int64_t block_rows = 16;
  int programs = 1;
};

/// layer_norm: (x - mean) / sqrt(variance + eps) * weight + bias of each row, weight and bias of `cols`
/// elements. Computes in f32.
struct LayerNormArgs {
  Ptr x, weight, bias, out;
  std::int64_t rows = 0, cols = 0;
  double eps = 1e-5;
  std::int64_t block_rows = 16;
  int programs = 1;
};

}  // namespace kbsim
