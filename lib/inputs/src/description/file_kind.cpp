#include "kbsim/inputs/description/file_kind.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/inputs/layers/layers.hpp"
#include "kbsim/inputs/text.hpp"

#include "../cells.hpp"
#include "../logs/rows.hpp"
#include "../msccl/shown.hpp"

namespace kbsim::inputs {
namespace {

constexpr std::streamsize kBeginning = std::streamsize{256} << 10U;

bool has_keys(std::string_view text, std::initializer_list<std::string_view> keys) {
  return std::ranges::all_of(keys, [&](std::string_view key) {
    return text.find(fmt::format("\"{}\"", key)) != std::string_view::npos;
  });
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return has_keys(text, {key}); });
}

// Recognized by its first line that isn't a comment.
bool is_table_of_times(std::string_view text) {
  std::set<std::optional<MeasuredColumn>> columns;
  for_each_line(text, [&](std::string_view line, std::size_t) {
    if (!columns.empty() || trimmed(line).empty() || line.starts_with('#')) return;
    for (const Cell& cell : cells_of(line, separator_in(line))) columns.insert(column_called(cell.text));
  });
  return columns.contains(MeasuredColumn::size) && columns.contains(MeasuredColumn::time);
}

FileKind kind_of_json(std::string_view text) {
  if (has_keys(text, {"gpus"})) return FileKind::mscclpp_plan;
  if (has_keys(text, {"timestamp", "sx"})) return FileKind::noc_trace;
  if (has_any(text, {"hidden_size", "model_type", "architectures", "n_embd", "d_model"}))
    return FileKind::model;
  if (has_any(text, {"size", "time", "time_us", "size_bytes", "results", "algbw", "algBw", "alg_bw"}))
    return FileKind::measurements;
  return FileKind::unknown;
}

// Drawings and pages, found beside results.
bool is_shown(std::string_view text) {
  const auto has = [&](std::string_view root) { return text.find(root) != std::string_view::npos; };
  return !has("<algo") && (has("<svg") || has("<html"));
}

}  // namespace

std::string_view name_of(FileKind kind) {
  constexpr auto kKinds = std::to_array<std::string_view>(
      {"plan of MSCCL", "plan of MSCCL++", "recorded NoC traffic", "model configuration",
       "layers of SCALE-Sim", "measured times by size", "Chakra execution trace of one rank", "other file"});
  return kKinds.at(static_cast<std::size_t>(kind));
}

FileKind kind_of_text(std::string_view beginning) {
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  if (is_log(beginning)) return FileKind::measurements;
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  const char begin = first == std::string_view::npos ? '\0' : beginning[first];
  if (begin == '<') return is_shown(beginning) ? FileKind::unknown : FileKind::msccl_plan;
  if (begin == '{' || begin == '[') return kind_of_json(beginning);
  if (is_layer_list(beginning)) return FileKind::layers;
  return is_table_of_times(beginning) ? FileKind::measurements : FileKind::unknown;
}

namespace {

// Keys by which a JSON file is recognized.
constexpr auto kTelling = std::to_array<std::string_view>(
    {"gpus", "timestamp", "hidden_size", "model_type", "architectures", "n_embd", "d_model", "size", "time",
     "time_us", "size_bytes", "results", "algbw", "alg_bw"});

// The object itself, or the first of a list.
const boost::json::object* object_in(const boost::json::value& value) {
  const boost::json::array* all = value.if_array();
  if (all == nullptr) return value.if_object();
  return all->empty() ? nullptr : all->front().if_object();
}

// A key that may be a misspelling of one of these.
std::string misspelling_in(const boost::json::object& object) {
  constexpr std::size_t kShortest = 4;
  for (const auto& member : object) {
    const std::string_view key = member.key();
    const std::string near = key.size() < kShortest ? "" : near_hint(key, kTelling);
    if (!near.empty()) return fmt::format(" ('{}'{})", msccl::shown(key), near);
  }
  return {};
}

}  // namespace

std::string what_is_unknown(const std::filesystem::path& file) {
  constexpr std::size_t kMost = std::size_t{16} << 20U;
  constexpr std::size_t kFew = 4;
  const std::string text = read_input(file, file.string(), kMost);
  if (is_utf16(text)) return "it is UTF-16, expected UTF-8";
  if (is_shown(text)) return "it is a drawing or a page";
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(text, error);
  const boost::json::object* const object = error ? nullptr : object_in(value);
  if (object == nullptr)
    return "it has neither the keys nor the columns of one (a table of measured times has 'size' and 'time')";
  std::vector<std::string> keys;
  for (const auto& member : *object) {
    if (keys.size() < kFew) keys.push_back(msccl::shown(member.key()));
  }
  return fmt::format("JSON with {}, which no input of kbsim has{}", fmt::join(keys, ", "),
                     misspelling_in(*object));
}

FileKind kind_of_file(const std::filesystem::path& file) {
  if (const std::string why = why_unreadable(file); !why.empty())
    throw UsageError{fmt::format("{}: {}", file.string(), why)};
  if (!std::filesystem::is_regular_file(file))
    throw UsageError{fmt::format("{}: is read twice, expected a file", file.string())};
  if (file.extension() == ".et") return FileKind::chakra_trace;
  std::ifstream in{file, std::ios::binary};
  std::string beginning(static_cast<std::size_t>(kBeginning), '\0');
  in.read(beginning.data(), kBeginning);
  beginning.resize(static_cast<std::size_t>(in.gcount()));
  return kind_of_text(beginning);
}

}  // namespace kbsim::inputs
