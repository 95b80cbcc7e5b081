#include "kbsim/inputs/layers/layers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"

#include "../cells.hpp"
#include "columns.hpp"

namespace kbsim::inputs {
namespace {

using enum LayerColumn;

constexpr std::array kProductColumns{m, n, k};
constexpr std::array kConvolutionColumns{height, width, filter_height, filter_width, channels, filters};
constexpr std::int64_t kMostExtent = std::int64_t{1} << 20;
constexpr std::int64_t kMostMatrix = std::int64_t{1} << 40;
constexpr std::size_t kMostLayers = std::size_t{1} << 20;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-eE") == std::string_view::npos;
}

template <class Wanted>
bool has_columns(const LayerColumns& columns, const Wanted& wanted) {
  return std::ranges::all_of(wanted, [&](LayerColumn column) { return columns.contains(column); });
}

class LayerReader {
 public:
  explicit LayerReader(const Text& text) : text_{text} {}

  void line(std::string_view line, std::size_t offset) {
    if (trimmed(line).empty()) return;
    if (line.starts_with('#')) return comment(line, offset);
    if (columns_.empty()) separator_ = separator_in(line);
    const std::vector<Cell> cells = cells_of(line, separator_);
    if (columns_.empty())
      read_header(cells, offset);
    else
      read_row(cells, offset);
  }

  [[nodiscard]] std::vector<Layer> take() {
    if (layers_.empty())
      throw text_.error(text_.content().size(), "no layers (expected a header, then a layer a line)");
    return std::move(layers_);
  }

 private:
  void read_header(const std::vector<Cell>& cells, std::size_t offset) {
    const Cell* twice = nullptr;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::optional<LayerColumn> column = layer_column_called(cells[i].text);
      if (column && !columns_.emplace(*column, i).second) twice = &cells[i];
      if (!column && !is_idle_column(cells[i].text)) others_.push_back(i);
    }
    if (twice != nullptr) {
      const auto by_position = columns_by_position(cells);
      if (!by_position)
        throw text_.error(offset + twice->at, fmt::format("a second column '{}'", twice->text));
      columns_ = *by_position;
    }
    named_ = !layer_column_called(cells.front().text) && change_called(cells.front().text) == nullptr;
    header_ = cells;
    require_one_kind(offset);
  }

  // Accepts products or convolutions, without a column of the other kind.
  void require_one_kind(std::size_t offset) const {
    const bool products = has_columns(columns_, kProductColumns);
    if (!products && !has_columns(columns_, kConvolutionColumns))
      throw text_.error(
          offset,
          "expected a header 'Layer, M, N, K,' or 'Layer name, IFMAP Height, IFMAP Width, Filter "
          "Height, Filter Width, Channels, Num Filter, Strides,'");
    for (const auto& [column, index] : columns_) {
      const bool of_products = std::ranges::find(kProductColumns, column) != kProductColumns.end();
      if (of_products != products) refuse_column(header_[index], offset);
    }
  }

  [[noreturn]] void refuse_column(const Cell& cell, std::size_t offset) const {
    throw Unsupported{fmt::format("{}: the meaning of column '{}' isn't known in this list",
                                  to_string(text_.place(offset + cell.at)), harmless(cell.text))};
  }

  void read_row(const std::vector<Cell>& cells, std::size_t offset) {
    const bool nothing = std::ranges::all_of(cells, [](const Cell& cell) { return cell.text.empty(); });
    if (nothing) return;
    require_unchanged(cells, offset);
    const auto value = [&](LayerColumn column) { return extent(cells, columns_.at(column), offset); };
    if (has_columns(columns_, kProductColumns)) {
      add({.name = {}, .m = value(m), .n = value(n), .k = value(k)}, cells, offset);
      return;
    }
    Convolution found = read_convolution(cells, offset);
    const bool depthwise = named_ && cells.front().text.find("DP") != std::string::npos;
    const std::int64_t channels = depthwise ? std::exchange(found.channels, 1) : 1;
    for (std::int64_t i = 0; i < channels; ++i)
      add(im2col(found), cells, offset, depthwise ? fmt::format("Channel_{}", i) : "");
  }

  // One that looks like a row is named: SCALE-Sim reads it as a layer.
  void comment(std::string_view line, std::size_t offset) const {
    if (columns_.empty()) return;
    const std::vector<Cell> cells = cells_of(line, separator_);
    const auto is_size = [&](LayerColumn column) {
      const auto found = columns_.find(column);
      return found == columns_.end() ||
             (found->second < cells.size() && is_number(cells[found->second].text));
    };
    if (std::ranges::all_of(kProductColumns, is_size) && std::ranges::all_of(kConvolutionColumns, is_size))
      say("{}: a comment, since it begins with '#'; no layer is read from it\n",
          to_string(text_.place(offset)));
  }

  void add(Layer layer, const std::vector<Cell>& cells, std::size_t offset, const std::string& part = {}) {
    layer.line = text_.place(offset).line;
    layer.name = named_ ? cells.front().text + part : fmt::format("line {}", layer.line);
    require_countable(layer, offset);
    if (layers_.size() == kMostLayers)
      throw text_.error(offset, fmt::format("more than {} layers", kMostLayers));
    layers_.push_back(std::move(layer));
  }

  void require_unchanged(const std::vector<Cell>& cells, std::size_t offset) const {
    for (std::size_t i = header_.size(); i < cells.size(); ++i) require_empty(cells[i], offset);
    for (std::size_t i = 0; i < std::min(cells.size(), header_.size()); ++i)
      if (header_[i].text.empty() && !(named_ && i == 0)) require_empty(cells[i], offset);
    for (const std::size_t index : others_) {
      if (index >= cells.size() || cells[index].text.empty()) continue;
      const Cell& cell = cells[index];
      const Change* change = change_called(header_[index].text);
      if (change == nullptr && index == 0 && !is_number(cell.text)) continue;  // the layer's name
      if (change != nullptr && std::ranges::find(change->neutral, lower(cell.text)) != change->neutral.end())
        continue;
      const std::string place = to_string(text_.place(offset + cell.at));
      if (change == nullptr)
        throw Unsupported{fmt::format("{}: the meaning of column '{}' isn't known (its cell is {})", place,
                                      harmless(header_[index].text), harmless(cell.text))};
      throw Unsupported{fmt::format("{}: {} ({}: {}) isn't simulated", place, change->what, change->column,
                                    harmless(cell.text))};
    }
  }

  void require_empty(const Cell& cell, std::size_t offset) const {
    if (!cell.text.empty())
      throw text_.error(offset + cell.at, fmt::format("'{}' has no name in the header", harmless(cell.text)));
  }

  [[nodiscard]] Convolution read_convolution(const std::vector<Cell>& cells, std::size_t offset) const {
    const auto value = [&](LayerColumn column) { return extent(cells, columns_.at(column), offset); };
    Convolution found{.height = value(height),
                      .width = value(width),
                      .filter_height = value(filter_height),
                      .filter_width = value(filter_width),
                      .channels = value(channels),
                      .filters = value(filters)};
    // A column of both axes first, then those of one.
    const auto read = [&](LayerColumn column, std::int64_t least, auto&... axes) {
      if (is_given(cells, column)) ((axes = extent(cells, columns_.at(column), offset, least)), ...);
    };
    if (columns_.contains(strides)) found.stride_height = found.stride_width = value(strides);
    read(stride_h, 1, found.stride_height);
    read(stride_w, 1, found.stride_width);
    read(padding, 0, found.padding_height, found.padding_width);
    read(padding_h, 0, found.padding_height);
    read(padding_w, 0, found.padding_width);
    read(dilation, 1, found.dilation_height, found.dilation_width);
    read(dilation_h, 1, found.dilation_height);
    read(dilation_w, 1, found.dilation_width);
    if (found.spread_height() > found.padded_height() || found.spread_width() > found.padded_width())
      throw text_.error(
          offset + cells.at(columns_.at(filter_height)).at,
          fmt::format("a filter of {} x {} doesn't fit an image of {} x {}", found.spread_height(),
                      found.spread_width(), found.padded_height(), found.padded_width()));
    return found;
  }

  // Optional columns may be empty or missing at the end of a row.
  [[nodiscard]] bool is_given(const std::vector<Cell>& cells, LayerColumn column) const {
    const auto found = columns_.find(column);
    return found != columns_.end() && found->second < cells.size() && !cells[found->second].text.empty();
  }

  [[nodiscard]] std::int64_t extent(const std::vector<Cell>& cells, std::size_t index, std::size_t offset,
                                    std::int64_t least = 1) const {
    if (index >= cells.size())
      throw text_.error(offset,
                        fmt::format("{}, expected {} or more", counted(cells.size(), "cell"), index + 1));
    const Cell& cell = cells[index];
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(cell.text.data(), cell.text.data() + cell.text.size(), value);
    if (problem == std::errc{} && end == cell.text.data() + cell.text.size() && value >= least &&
        value <= kMostExtent)
      return value;
    throw text_.error(offset + cell.at, fmt::format("'{}', expected a whole number from {} to {}",
                                                    harmless(cell.text), least, kMostExtent));
  }

  void require_countable(const Layer& layer, std::size_t offset) const {
    const auto pairs = {std::pair{layer.m, layer.k}, {layer.k, layer.n}, {layer.m, layer.n}};
    for (const auto& [a, b] : pairs) {
      if (a > kMostMatrix / b)
        throw text_.error(offset, fmt::format("a matrix of {} x {} is more than any memory", a, b));
    }
  }

  const Text& text_;
  char separator_ = ',';
  LayerColumns columns_;
  std::vector<Cell> header_;
  std::vector<std::size_t> others_;  // cells that aren't used and aren't known to be idle
  bool named_ = true;                // has a name in the first column
  std::vector<Layer> layers_;
};

}  // namespace

Layer im2col(const Convolution& c) {
  const std::int64_t rows = (c.padded_height() - c.spread_height()) / c.stride_height + 1;
  const std::int64_t columns = (c.padded_width() - c.spread_width()) / c.stride_width + 1;
  return {.name = {},
          .m = rows * columns,
          .n = c.filters,
          .k = c.filter_height * c.filter_width * c.channels,
          .convolution = c};
}

bool is_layer_list(std::string_view text) {
  std::optional<bool> is_one;
  for_each_line(with_plain_blanks(std::string{text}), [&](std::string_view line, std::size_t) {
    if (is_one || trimmed(line).empty() || line.starts_with('#')) return;
    is_one = std::ranges::any_of(cells_of(line, separator_in(line)),
                                 [](const Cell& cell) { return layer_column_called(cell.text).has_value(); });
  });
  return is_one.value_or(false);
}

std::vector<Layer> read_layers(const Text& text) {
  LayerReader reader{text};
  for_each_line(with_plain_blanks(std::string{text.content()}),
                [&](std::string_view line, std::size_t offset) { reader.line(line, offset); });
  return reader.take();
}

}  // namespace kbsim::inputs
