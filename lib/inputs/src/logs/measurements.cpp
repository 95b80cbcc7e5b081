#include "kbsim/inputs/logs/measurements.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "../cells.hpp"
#include "rows.hpp"

namespace kbsim::inputs {
namespace {

using TableLine = std::pair<std::string_view, std::size_t>;

std::vector<TableLine> lines_of_table(const Text& text) {
  std::vector<TableLine> lines;
  for_each_line(text.content(), [&](std::string_view line, std::size_t offset) {
    if (!trimmed(line).empty() && !line.starts_with('#')) lines.emplace_back(line, offset);
  });
  return lines;
}

std::vector<std::string> columns_in_header(const Text& text, const TableLine& line) {
  std::vector<std::string> columns;
  for (const Cell& cell : cells_of(line.first)) {
    const std::string name = column_named(cell.text);
    if (std::ranges::find(columns, name) != columns.end())
      throw text.error(line.second + cell.at, fmt::format("two columns called '{}'", name));
    columns.push_back(name);
  }
  return columns;
}

bool is_of_buffers(const MeasuredRows::Row& row, Buffers buffers) {
  const auto cell = row.find("in_place");
  return cell == row.end() || (cell->second == "1") == (buffers == Buffers::in_place);
}

Measurements read_table(const Text& text, Buffers buffers) {
  const std::vector<TableLine> lines = lines_of_table(text);
  if (lines.empty())
    throw UsageError{text.name() + ": no rows (expected names of columns, then a row a line)"};
  const std::vector<std::string> columns = columns_in_header(text, lines.front());
  MeasuredRows rows{text.name(), columns};
  for (const auto& [line, offset] : lines | std::views::drop(1)) {
    const std::vector<Cell> cells = cells_of(line);
    const Place at{.file = text.name(), .line = text.place(offset).line};
    if (cells.size() != columns.size()) {
      rows.skip(to_string(at),
                fmt::format("{} cells, expected {} as in the first line", cells.size(), columns.size()));
      continue;
    }
    MeasuredRows::Row row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[columns[i]] = cells[i].text;
    if (is_of_buffers(row, buffers)) rows.add(to_string(at), std::move(row));
  }
  return rows.take();
}

}  // namespace

Measurements read_measurements(const Text& text, Buffers buffers) {
  if (is_log(text.content())) return read_log(text, buffers);
  const std::size_t first = text.content().find_first_not_of(" \t\r\n");
  const char begin = first == std::string_view::npos ? '\0' : text.content()[first];
  return begin == '{' || begin == '[' ? read_measured_json(text, buffers) : read_table(text, buffers);
}

}  // namespace kbsim::inputs
