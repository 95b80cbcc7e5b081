#include "kbsim/inputs/logs/measurements.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

#include "../cells.hpp"
#include "rows.hpp"

namespace kbsim::inputs {
namespace {

using TableLine = std::pair<std::string_view, std::size_t>;

std::vector<TableLine> lines_of_table(std::string_view text) {
  std::vector<TableLine> lines;
  for_each_line(text, [&](std::string_view line, std::size_t offset) {
    if (!trimmed(line).empty() && !line.starts_with('#')) lines.emplace_back(line, offset);
  });
  return lines;
}

std::vector<std::string> columns_in_header(const Text& text, const TableLine& line, char separator) {
  std::vector<std::string> columns;
  for (const Cell& cell : cells_of(line.first, separator)) {
    const std::string name = column_named(cell.text);
    if (!name.empty() && std::ranges::find(columns, name) != columns.end())
      throw text.error(line.second + cell.at, fmt::format("two columns called '{}'", name));
    columns.push_back(name);
  }
  while (!columns.empty() && columns.back().empty()) columns.pop_back();  // a separator ends the line
  return columns;
}

// "#wrong" and similar columns count wrong values; "error", of older logs, is the largest deviation.
bool counts_wrong_values(const TableLine& header, char separator) {
  return std::ranges::any_of(cells_of(header.first, separator), [](const Cell& cell) {
    return column_called(cell.text) == MeasuredColumn::wrong && lower(cell.text) != "error";
  });
}

// "36,07" if cells aren't separated by commas; "1.024,5" stays unchanged and is no number.
std::string with_decimal_point(std::string cell) {
  const std::size_t comma = cell.find(',');
  if (comma != std::string::npos && cell.find_first_of(".,", comma + 1) == std::string::npos &&
      cell.find('.') == std::string::npos)
    cell[comma] = '.';
  return cell;
}

// Sizes are whole: a comma in one separates thousands, or is a mistake.
MeasuredRows::Row row_of(const std::vector<Cell>& cells, const std::vector<std::string>& columns,
                         char separator) {
  MeasuredRows::Row row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    using enum MeasuredColumn;
    const std::optional<MeasuredColumn> column = column_called(columns[i]);
    const bool measured = column == time || column == algbw || column == busbw;
    row[columns[i]] = separator != ',' && measured ? with_decimal_point(cells[i].text) : cells[i].text;
  }
  return row;
}

Measurements read_table(const Text& text, Buffers buffers) {
  const std::string plain = with_plain_blanks(std::string{text.content()});
  const std::vector<TableLine> lines = lines_of_table(plain);
  if (lines.empty())
    throw UsageError{text.name() + ": no rows (expected names of columns, then a row a line)"};
  const char separator = separator_in(lines.front().first);
  const std::vector<std::string> columns = columns_in_header(text, lines.front(), separator);
  MeasuredRows rows{text.name(), columns};
  if (std::ranges::any_of(
          columns, [](const std::string& name) { return column_called(name) == MeasuredColumn::in_place; }))
    rows.of_either_buffers();
  if (counts_wrong_values(lines.front(), separator)) rows.counts_wrong();
  // rccl-tests repeats all rows in cycles.
  if (std::ranges::find(columns, "numCycle") != columns.end()) rows.once_a_size();
  for (const auto& [line, offset] : lines | std::views::drop(1)) {
    std::vector<Cell> cells = cells_of(line, separator);
    while (cells.size() > columns.size() && cells.back().text.empty()) cells.pop_back();
    const Place at{.file = text.name(), .line = text.place(offset).line};
    if (cells.size() != columns.size()) {
      rows.skip(to_string(at), fmt::format("{}, expected {} as in the first line",
                                           counted(cells.size(), "cell"), columns.size()));
      continue;
    }
    MeasuredRows::Row row = row_of(cells, columns, separator);
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
