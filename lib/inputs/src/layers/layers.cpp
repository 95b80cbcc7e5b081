#include "kbsim/inputs/layers/layers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"

#include "../cells.hpp"

namespace kbsim::inputs {
namespace {

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
  strides,
  stride_w
};

// Names as headers have them, in small letters, without blanks and underscores.
constexpr std::array<std::pair<std::string_view, LayerColumn>, 26> kLayerColumns{
    {{"m", LayerColumn::m},
     {"n", LayerColumn::n},
     {"k", LayerColumn::k},
     {"ifmapheight", LayerColumn::height},
     {"ifmaph", LayerColumn::height},
     {"ifmapwidth", LayerColumn::width},
     {"ifmapw", LayerColumn::width},
     {"filterheight", LayerColumn::filter_height},
     {"filterh", LayerColumn::filter_height},
     {"filterwidth", LayerColumn::filter_width},
     {"filterw", LayerColumn::filter_width},
     {"channels", LayerColumn::channels},
     {"channel", LayerColumn::channels},
     {"numchannels", LayerColumn::channels},
     {"numfilter", LayerColumn::filters},
     {"numfilters", LayerColumn::filters},
     {"filters", LayerColumn::filters},
     {"strides", LayerColumn::strides},
     {"stride", LayerColumn::strides},
     {"strideheight", LayerColumn::strides},
     {"strideh", LayerColumn::strides},
     {"stridesheight", LayerColumn::strides},
     {"stridewidth", LayerColumn::stride_w},
     {"stridew", LayerColumn::stride_w},
     {"strideswidth", LayerColumn::stride_w},
     {"stridesw", LayerColumn::stride_w}}};
constexpr std::array kProductColumns{LayerColumn::m, LayerColumn::n, LayerColumn::k};
constexpr std::array kConvolutionColumns{LayerColumn::height,        LayerColumn::width,
                                         LayerColumn::filter_height, LayerColumn::filter_width,
                                         LayerColumn::channels,      LayerColumn::filters};
constexpr std::int64_t kMostExtent = std::int64_t{1} << 20;
constexpr std::int64_t kMostMatrix = std::int64_t{1} << 40;
constexpr std::size_t kMostLayers = std::size_t{1} << 20;

using LayerColumns = std::map<LayerColumn, std::size_t>;  // which cell of a row

std::string column_letters(std::string_view name) {
  std::string small = lower(name);
  std::erase_if(small, [](char c) { return c == ' ' || c == '_' || c == '\t'; });
  return small;
}

// Columns that make a layer another one, unless their cell says that they don't.
struct Change {
  std::string_view column;
  std::string_view what;
  bool (*is_none)(std::string_view cell);
};
bool is_dense(std::string_view ratio) {
  const std::size_t colon = ratio.find(':');
  return colon != std::string_view::npos &&
         trimmed(ratio.substr(0, colon)) == trimmed(ratio.substr(colon + 1));
}
bool is_one(std::string_view count) { return count == "1"; }
constexpr std::array<Change, 4> kChanges{{{"sparsity", "a sparse layer", is_dense},
                                          {"sparsityratio", "a sparse layer", is_dense},
                                          {"batch", "a batch of several inputs", is_one},
                                          {"batchsize", "a batch of several inputs", is_one}}};

std::optional<LayerColumn> layer_column_called(std::string_view name) {
  const std::string small = column_letters(name);
  const auto found = std::ranges::find(kLayerColumns, small, &decltype(kLayerColumns)::value_type::first);
  return found == kLayerColumns.end() ? std::nullopt : std::optional{found->second};
}

template <class Wanted>
bool has_columns(const LayerColumns& columns, const Wanted& wanted) {
  return std::ranges::all_of(wanted, [&](LayerColumn column) { return columns.contains(column); });
}

class LayerReader {
 public:
  explicit LayerReader(const Text& text) : text_{text} {}

  void line(std::string_view line, std::size_t offset) {
    if (trimmed(line).empty() || line.starts_with('#')) return;
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
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::optional<LayerColumn> column = layer_column_called(cells[i].text);
      const auto change = std::ranges::find(kChanges, column_letters(cells[i].text), &Change::column);
      if (change != kChanges.end()) changes_.emplace_back(i, &*change);
      if (!column) continue;
      named_ = named_ && i > 0;
      if (!columns_.emplace(*column, i).second)
        throw text_.error(offset + cells[i].at, fmt::format("a second column '{}'", cells[i].text));
    }
    if (has_columns(columns_, kProductColumns) || has_columns(columns_, kConvolutionColumns)) return;
    throw text_.error(offset,
                      "expected a header 'Layer, M, N, K,' or 'Layer name, IFMAP Height, IFMAP Width, Filter "
                      "Height, Filter Width, Channels, Num Filter, Strides,'");
  }

  void read_row(const std::vector<Cell>& cells, std::size_t offset) {
    const bool nothing = std::ranges::all_of(cells, [](const Cell& cell) { return cell.text.empty(); });
    if (nothing) return;
    require_unchanged(cells, offset);
    const auto value = [&](LayerColumn column) { return extent(cells, columns_.at(column), offset); };
    if (has_columns(columns_, kProductColumns)) {
      add({.name = {}, .m = value(LayerColumn::m), .n = value(LayerColumn::n), .k = value(LayerColumn::k)},
          cells, offset);
      return;
    }
    Convolution found = read_convolution(cells, offset);
    const bool depthwise = named_ && cells.front().text.find("DP") != std::string::npos;
    const std::int64_t channels = depthwise ? std::exchange(found.channels, 1) : 1;
    for (std::int64_t i = 0; i < channels; ++i)
      add(im2col(found), cells, offset, depthwise ? fmt::format("Channel_{}", i) : "");
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
    for (const auto& [index, change] : changes_) {
      if (index >= cells.size() || cells[index].text.empty() || change->is_none(cells[index].text)) continue;
      throw Unsupported{fmt::format("{}: {} ({}: {}) isn't simulated",
                                    to_string(text_.place(offset + cells[index].at)), change->what,
                                    change->column, cells[index].text)};
    }
  }

  [[nodiscard]] Convolution read_convolution(const std::vector<Cell>& cells, std::size_t offset) const {
    const auto value = [&](LayerColumn column) { return extent(cells, columns_.at(column), offset); };
    Convolution found{.height = value(LayerColumn::height),
                      .width = value(LayerColumn::width),
                      .filter_height = value(LayerColumn::filter_height),
                      .filter_width = value(LayerColumn::filter_width),
                      .channels = value(LayerColumn::channels),
                      .filters = value(LayerColumn::filters)};
    if (columns_.contains(LayerColumn::strides)) found.stride_height = value(LayerColumn::strides);
    found.stride_width =
        columns_.contains(LayerColumn::stride_w) ? value(LayerColumn::stride_w) : found.stride_height;
    if (found.filter_height > found.height || found.filter_width > found.width)
      throw text_.error(offset + cells.at(columns_.at(LayerColumn::filter_height)).at,
                        fmt::format("a filter of {} x {} doesn't fit an image of {} x {}",
                                    found.filter_height, found.filter_width, found.height, found.width));
    return found;
  }

  [[nodiscard]] std::int64_t extent(const std::vector<Cell>& cells, std::size_t index,
                                    std::size_t offset) const {
    if (index >= cells.size())
      throw text_.error(offset,
                        fmt::format("{}, expected {} or more", counted(cells.size(), "cell"), index + 1));
    const Cell& cell = cells[index];
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(cell.text.data(), cell.text.data() + cell.text.size(), value);
    if (problem == std::errc{} && end == cell.text.data() + cell.text.size() && value >= 1 &&
        value <= kMostExtent)
      return value;
    throw text_.error(offset + cell.at,
                      fmt::format("'{}', expected a whole number from 1 to {}", cell.text, kMostExtent));
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
  std::vector<std::pair<std::size_t, const Change*>> changes_;  // which cells
  bool named_ = true;                                           // by the first column
  std::vector<Layer> layers_;
};

}  // namespace

Layer im2col(const Convolution& c) {
  const std::int64_t rows = (c.height - c.filter_height) / c.stride_height + 1;
  const std::int64_t columns = (c.width - c.filter_width) / c.stride_width + 1;
  return {.name = {},
          .m = rows * columns,
          .n = c.filters,
          .k = c.filter_height * c.filter_width * c.channels,
          .convolution = c};
}

bool is_layer_list(std::string_view text) {
  std::optional<bool> is_one;
  for_each_line(text, [&](std::string_view line, std::size_t) {
    if (is_one || trimmed(line).empty() || line.starts_with('#')) return;
    is_one = std::ranges::any_of(cells_of(line, separator_in(line)),
                                 [](const Cell& cell) { return layer_column_called(cell.text).has_value(); });
  });
  return is_one.value_or(false);
}

std::vector<Layer> read_layers(const Text& text) {
  LayerReader reader{text};
  for_each_line(text.content(),
                [&](std::string_view line, std::size_t offset) { reader.line(line, offset); });
  return reader.take();
}

}  // namespace kbsim::inputs
