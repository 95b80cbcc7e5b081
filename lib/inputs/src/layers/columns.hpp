#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../cells.hpp"

namespace kbsim::inputs {

/// Columns of a layer list that are used in the computation.
enum class LayerColumn {
  m,
  n,
  k,
  height,
  width,
  filter_height,
  filter_width,
  channels,
  filters,
  strides,  // of both axes, like padding and dilation
  stride_h,
  stride_w,
  padding,
  padding_h,
  padding_w,
  dilation,
  dilation_h,
  dilation_w
};
using LayerColumns = std::map<LayerColumn, std::size_t>;  // index of the cell in a row

/// Case, blanks, underscores and hyphens don't matter.
[[nodiscard]] std::optional<LayerColumn> layer_column_called(std::string_view name);

/// A column that changes the work, unless its cell is one of these texts (in small letters).
struct Change {
  std::string_view column;
  std::string_view what;
  std::span<const std::string_view> neutral;
};
/// nullptr for names that aren't in the table.
[[nodiscard]] const Change* change_called(std::string_view name);

/// Columns that change nothing: names, numbers and comments of a layer.
[[nodiscard]] bool is_idle_column(std::string_view name);

/// The columns by position, as SCALE-Sim reads them, for a header of convolutions with a duplicate name. None
/// if SCALE-Sim expects another name at some position.
[[nodiscard]] std::optional<LayerColumns> columns_by_position(const std::vector<Cell>& header);

}  // namespace kbsim::inputs
