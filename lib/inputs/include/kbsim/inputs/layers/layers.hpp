#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs {

/// A convolution as SCALE-Sim writes it, without padding: sizes of one image, of a filter, strides.
struct Convolution {
  std::int64_t height = 0, width = 0;
  std::int64_t filter_height = 0, filter_width = 0;
  std::int64_t channels = 0, filters = 0;
  std::int64_t stride_height = 1, stride_width = 1;
};

/// C[m, n] = A[m, k] B[k, n].
struct Layer {
  std::string name;
  std::int64_t m = 0, n = 0, k = 0;
  std::optional<Convolution> convolution = {};  // what the product was made of
  int line = 0;

  [[nodiscard]] std::int64_t macs() const { return m * n * k; }
  /// Each operand and the result once.
  [[nodiscard]] std::int64_t elements() const { return m * k + k * n + m * n; }
};

/// The product of a convolution by im2col: a row an output position, a column a filter, as deep as a filter
/// has elements.
[[nodiscard]] Layer im2col(const Convolution& convolution);

/// The layers of a SCALE-Sim CSV: `Layer, M, N, K,` or `Layer name, IFMAP Height, IFMAP Width, Filter Height,
/// Filter Width, Channels, Num Filter, Strides,`. Columns go by their names, in any order, case and spacing;
/// others are passed over; the first, if it is none of them, names the layer. A convolution with DP in its
/// name is a layer a channel, as SCALE-Sim takes it. InputError with line and column for what isn't one,
/// Unsupported for sparse layers and batches.
[[nodiscard]] std::vector<Layer> read_layers(const Text& text);

/// Whether the first line has a column of such a list.
[[nodiscard]] bool is_layer_list(std::string_view text);

}  // namespace kbsim::inputs
