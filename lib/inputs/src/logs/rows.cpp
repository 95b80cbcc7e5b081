#include "rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/say.hpp"

#include "../cells.hpp"

namespace kbsim::inputs {
namespace {

// In small letters; the first alias of each column is its canonical name.
constexpr auto kColumnNames = [] {
  using enum MeasuredColumn;
  return std::to_array<std::pair<std::string_view, MeasuredColumn>>(
      {{"size", size},      {"count", count},       {"type", type},           {"redop", redop},
       {"root", root},      {"time", time},         {"algbw", algbw},         {"busbw", busbw},
       {"wrong", wrong},    {"in_place", in_place}, {"timestamp", timestamp}, {"#wrong", wrong},
       {"error", wrong},    {"nwrong", wrong},      {"errors", wrong},        {"alg_bw", algbw},
       {"bus_bw", busbw},   {"size (b)", size},     {"size_bytes", size},     {"bytes", size},
       {"time (us)", time}, {"time_us", time},      {"algbw (gb/s)", algbw},  {"busbw (gb/s)", busbw},
       {"datatype", type},  {"dtype", type},        {"inplace", in_place},    {"in-place", in_place}});
}();
// Sizes and times outside this range are errors.
constexpr double kLeastMeasured = 1e-12;
constexpr double kMostMeasured = 1e18;

bool is_number(const std::string& text, double& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

std::optional<MeasuredColumn> column_called(std::string_view name) {
  const auto found = std::ranges::find(kColumnNames, lower(trimmed(name)),
                                       &std::pair<std::string_view, MeasuredColumn>::first);
  return found == kColumnNames.end() ? std::nullopt : std::optional{found->second};
}

std::string column_named(std::string_view name) {
  const std::optional<MeasuredColumn> column = column_called(name);
  if (!column) return std::string{trimmed(name)};
  return std::string{
      std::ranges::find(kColumnNames, *column, &std::pair<std::string_view, MeasuredColumn>::second)->first};
}

bool is_of_buffers(const MeasuredRows::Row& row, Buffers buffers) {
  constexpr auto kYes = std::to_array<std::string_view>({"1", "true", "yes"});
  const auto cell = row.find("in_place");
  if (cell == row.end()) return true;
  const bool in_place = std::ranges::find(kYes, lower(cell->second)) != kYes.end();
  return in_place == (buffers == Buffers::in_place);
}

bool is_wrong(std::string_view count) {
  const std::string small = lower(trimmed(count));
  double value = 0.0;
  if (is_number(small, value)) return value != 0.0;
  return !small.empty() && small != "n/a" && small != "na" && small != "null" && small != "none" &&
         small != "-";
}

MeasuredRows::MeasuredRows(std::string source, std::vector<std::string> columns)
    : found_{.source = std::move(source), .columns = std::move(columns)} {}

std::string MeasuredRows::fault_of(const Row& row, const char* column) const {
  const auto cell = row.find(column);
  if (cell == row.end()) return {};  // reported for the whole table
  double value = 0.0;
  if (!is_number(cell->second, value))
    return fmt::format("column {}: '{}' is no number{}", column, harmless(cell->second),
                       cell->second.find(',') == std::string::npos ? "" : " (numbers have a point)");
  if (value >= kLeastMeasured && value <= kMostMeasured) return {};
  return fmt::format("column {}: must be from {:g} to {:g}, got {}", column, kLeastMeasured, kMostMeasured,
                     cell->second);
}

bool MeasuredRows::is_new(const Row& row) {
  std::string key;
  for (const char* column : {"size", "type", "redop", "collective", "ranks", "sip_topology", "world_size",
                             "algorithm", "buffer_kind"}) {
    if (const auto cell = row.find(column); cell != row.end()) key += cell->second + '\n';
  }
  return seen_.insert(std::move(key)).second;
}

void MeasuredRows::add(const std::string& place, Row row) {
  double size = 1.0;
  if (const auto cell = row.find("size"); cell != row.end() && is_number(cell->second, size) && size == 0.0) {
    ++found_.empty;
    return;
  }
  for (const char* column : {"size", "time"}) {
    if (const std::string fault = fault_of(row, column); !fault.empty()) return skip(place, fault);
  }
  if (const auto cell = row.find("wrong"); counts_wrong_ && cell != row.end() && is_wrong(cell->second))
    return skip_wrong(place, harmless(cell->second));
  if (size != std::trunc(size))
    return skip(place, fmt::format("column size: '{}' is no whole number", harmless(row.at("size"))));
  if (once_ && !is_new(row)) return skip(place, "another time of the same size");
  found_.rows.push_back(std::move(row));
}

Measurements MeasuredRows::take() {
  if (ranks_ > 0 && std::ranges::find(found_.columns, "ranks") == found_.columns.end()) {
    found_.columns.emplace_back("ranks");
    for (Row& row : found_.rows) row["ranks"] = fmt::format("{}", ranks_);
  }
  if (!found_.rows.empty()) return std::move(found_);
  if (!found_.skipped.empty()) throw UsageError{found_.skipped.front()};
  throw UsageError{
      fmt::format("{}: no rows of sizes and times (expected a log of nccl-tests or rccl-tests, "
                  "CSV whose first line names columns, or JSON rows)",
                  found_.source)};
}

}  // namespace kbsim::inputs
