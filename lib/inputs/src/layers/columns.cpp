// The names of columns in layer lists, and the columns that change the work.
#include "columns.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kbsim::inputs {
namespace {

using enum LayerColumn;

// In small letters, without blanks, underscores and hyphens.
constexpr auto kLayerColumns =
    std::to_array<std::pair<std::string_view, LayerColumn>>({{"m", m},
                                                             {"n", n},
                                                             {"k", k},
                                                             {"ifmapheight", height},
                                                             {"ifmaph", height},
                                                             {"ifmapwidth", width},
                                                             {"ifmapw", width},
                                                             {"filterheight", filter_height},
                                                             {"filterh", filter_height},
                                                             {"filterwidth", filter_width},
                                                             {"filterw", filter_width},
                                                             {"channels", channels},
                                                             {"channel", channels},
                                                             {"numchannels", channels},
                                                             {"numfilter", filters},
                                                             {"numfilters", filters},
                                                             {"filters", filters},
                                                             {"strides", strides},
                                                             {"stride", strides},
                                                             {"strideheight", stride_h},
                                                             {"strideh", stride_h},
                                                             {"stridesheight", stride_h},
                                                             {"stridesh", stride_h},
                                                             {"hstride", stride_h},
                                                             {"stridewidth", stride_w},
                                                             {"stridew", stride_w},
                                                             {"strideswidth", stride_w},
                                                             {"stridesw", stride_w},
                                                             {"wstride", stride_w},
                                                             {"padding", padding},
                                                             {"paddings", padding},
                                                             {"pad", padding},
                                                             {"pads", padding},
                                                             {"paddingheight", padding_h},
                                                             {"paddingh", padding_h},
                                                             {"padheight", padding_h},
                                                             {"padh", padding_h},
                                                             {"hpad", padding_h},
                                                             {"hpadding", padding_h},
                                                             {"paddingwidth", padding_w},
                                                             {"paddingw", padding_w},
                                                             {"padwidth", padding_w},
                                                             {"padw", padding_w},
                                                             {"wpad", padding_w},
                                                             {"wpadding", padding_w},
                                                             {"dilation", dilation},
                                                             {"dilations", dilation},
                                                             {"dilationheight", dilation_h},
                                                             {"dilationh", dilation_h},
                                                             {"hdilation", dilation_h},
                                                             {"dilationwidth", dilation_w},
                                                             {"dilationw", dilation_w},
                                                             {"wdilation", dilation_w}});

constexpr auto kOne = std::to_array<std::string_view>({"1"});
constexpr auto kZero = std::to_array<std::string_view>({"0"});
constexpr auto kNo = std::to_array<std::string_view>({"0", "no", "n", "false", "none", "-"});
constexpr auto kDense =
    std::to_array<std::string_view>({"1:1", "2:2", "4:4", "8:8", "16:16", "dense", "none"});
constexpr auto kPlainKinds =
    std::to_array<std::string_view>({"conv", "conv2d", "convolution", "gemm", "matmul", "fc", "linear"});
constexpr auto kF16 = std::to_array<std::string_view>({"f16", "fp16", "float16", "half"});

constexpr auto kChanges = std::to_array<Change>({{"sparsity", "a sparse layer", kDense},
                                                 {"sparsityratio", "a sparse layer", kDense},
                                                 {"batch", "a batch of several inputs", kOne},
                                                 {"batchsize", "a batch of several inputs", kOne},
                                                 {"batches", "a batch of several inputs", kOne},
                                                 {"group", "a convolution of several groups", kOne},
                                                 {"groups", "a convolution of several groups", kOne},
                                                 {"numgroup", "a convolution of several groups", kOne},
                                                 {"numgroups", "a convolution of several groups", kOne},
                                                 {"depthwise", "a depthwise layer", kNo},
                                                 {"isdepthwise", "a depthwise layer", kNo},
                                                 {"dw", "a depthwise layer", kNo},
                                                 {"transposed", "a transposed convolution", kNo},
                                                 {"transpose", "a transposed convolution", kNo},
                                                 {"outputpadding", "padding of the output", kZero},
                                                 {"repeat", "a layer that repeats", kOne},
                                                 {"repeats", "a layer that repeats", kOne},
                                                 {"count", "a layer that repeats", kOne},
                                                 {"times", "a layer that repeats", kOne},
                                                 {"bias", "a bias", kNo},
                                                 {"activation", "an activation", kNo},
                                                 {"pool", "pooling", kNo},
                                                 {"pooling", "pooling", kNo},
                                                 {"type", "a layer of this type", kPlainKinds},
                                                 {"layertype", "a layer of this type", kPlainKinds},
                                                 {"op", "a layer of this type", kPlainKinds},
                                                 {"dtype", "a type other than f16", kF16},
                                                 {"datatype", "a type other than f16", kF16},
                                                 {"precision", "a type other than f16", kF16}});

constexpr auto kIdle = std::to_array<std::string_view>(
    {"",      "layer", "layers", "layername", "name",        "layerid", "id",
     "index", "idx",   "no",     "no.",       "#",           "comment", "comments",
     "note",  "notes", "remark", "remarks",   "description", "network", "model"});

std::string column_letters(std::string_view name) {
  std::string small = lower(name);
  std::erase_if(small, [](char c) { return c == ' ' || c == '_' || c == '\t' || c == '-'; });
  return small;
}

}  // namespace

std::optional<LayerColumn> layer_column_called(std::string_view name) {
  const std::string small = column_letters(name);
  const auto found = std::ranges::find(kLayerColumns, small, &decltype(kLayerColumns)::value_type::first);
  return found == kLayerColumns.end() ? std::nullopt : std::optional{found->second};
}

const Change* change_called(std::string_view name) {
  const auto found = std::ranges::find(kChanges, column_letters(name), &Change::column);
  return found == kChanges.end() ? nullptr : &*found;
}

bool is_idle_column(std::string_view name) {
  return std::ranges::find(kIdle, column_letters(name)) != kIdle.end();
}

std::optional<LayerColumns> columns_by_position(const std::vector<Cell>& header) {
  constexpr auto kOrder = std::to_array<LayerColumn>(
      {height, width, filter_height, filter_width, channels, filters, strides, stride_w});
  LayerColumns columns;
  std::map<LayerColumn, std::size_t> named;
  for (const Cell& cell : header) {
    if (const auto column = layer_column_called(cell.text)) ++named[*column];
  }
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::optional<LayerColumn> column = layer_column_called(header[i].text);
    if (!column) continue;
    if (i == 0 || i > kOrder.size()) return std::nullopt;
    const LayerColumn expected = kOrder.at(i - 1);
    const LayerColumn found = *column == stride_h ? strides : *column;
    if (found != expected && named[*column] < 2) return std::nullopt;
    columns.emplace(expected, i);
  }
  return columns;
}

}  // namespace kbsim::inputs
