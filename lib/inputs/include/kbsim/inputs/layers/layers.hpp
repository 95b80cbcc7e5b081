#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs {

/// A convolution: sizes of one image and of a filter, strides, padding on each side, dilation.
struct Convolution {
  std::int64_t height = 0, width = 0;
  std::int64_t filter_height = 0, filter_width = 0;
  std::int64_t channels = 0, filters = 0;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t padding_height = 0, padding_width = 0;
  std::int64_t dilation_height = 1, dilation_width = 1;

  [[nodiscard]] std::int64_t padded_height() const { return height + 2 * padding_height; }
  [[nodiscard]] std::int64_t padded_width() const { return width + 2 * padding_width; }
  /// From a filter's first element to its last one.
  [[nodiscard]] std::int64_t spread_height() const { return (filter_height - 1) * dilation_height + 1; }
  [[nodiscard]] std::int64_t spread_width() const { return (filter_width - 1) * dilation_width + 1; }
};

/// C[m, n] = A[m, k] B[k, n].
struct Layer {
  std::string name;
  std::int64_t m = 0, n = 0, k = 0;
  std::optional<Convolution> convolution = {};  // origin of the product
  int line = 0;

  [[nodiscard]] std::int64_t macs() const { return m * n * k; }
  /// The elements of each operand and of the result, counted once.
  [[nodiscard]] std::int64_t elements() const { return m * k + k * n + m * n; }
};

/// The product of a convolution by im2col: one row per output position, one column per filter; the inner
/// dimension is the number of a filter's elements.
[[nodiscard]] Layer im2col(const Convolution& convolution);

/// The layers of a SCALE-Sim CSV: `Layer, M, N, K,` or `Layer name, IFMAP Height, IFMAP Width, Filter Height,
/// Filter Width, Channels, Num Filter, Strides,` and padding and dilation. Columns are found by name; by
/// position, as in SCALE-Sim, if a name appears twice. DP in a convolution's name makes one layer per
/// channel. InputError with line and column for a wrong cell; Unsupported for an unknown column, or a cell
/// that would change the work in another way.
[[nodiscard]] std::vector<Layer> read_layers(const Text& text);

/// Whether the first line has a column of a layer list.
[[nodiscard]] bool is_layer_list(std::string_view text);

}  // namespace kbsim::inputs
