#include "kbsim/report/text_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/role.hpp"

namespace kbsim::report {
namespace {

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::string> all_of(const std::vector<TextTable::Column>& columns,
                                std::string TextTable::Column::* part) {
  std::vector<std::string> all;
  for (const TextTable::Column& column : columns) all.push_back(column.*part);
  return all;
}

std::vector<std::string> without_first(std::vector<std::string> cells) {
  cells.front().clear();
  return cells;
}

}  // namespace

void TextTable::add(std::vector<std::string> cells, std::string fault, std::string notes) {
  rows_.push_back({std::move(cells), std::move(fault), std::move(notes)});
}

bool TextTable::is_too_long(const Row& row) const {
  return columns_.front().most > 0 && row.cells.front().size() > columns_.front().most;
}

std::size_t TextTable::width(std::size_t column) const {
  std::size_t width = std::max(columns_[column].title.size(), columns_[column].unit.size());
  for (const Row& row : rows_) {
    if (column > 0 || !is_too_long(row)) width = std::max(width, row.cells[column].size());
  }
  return width;
}

std::string TextTable::line(const std::vector<std::string>& cells) const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].is_wide && shown_ == Columns::usual) continue;
    text += columns_[i].is_text ? fmt::format("  {:<{}}", cells[i], width(i))
                                : fmt::format("  {:>{}}", cells[i], width(i));
  }
  return without_end(std::move(text));
}

std::string TextTable::text() const {
  std::string text = in_role(Role::head, line(all_of(columns_, &Column::title))) + "\n";
  const std::string units = line(all_of(columns_, &Column::unit));
  if (!units.empty()) text += in_role(Role::head, units) + "\n";
  for (const Row& row : rows_) {
    text += is_too_long(row) ? fmt::format("  {}\n{}", row.cells.front(), line(without_first(row.cells)))
                             : line(row.cells);
    if (!row.fault.empty()) text += "  " + in_role(Role::bad, row.fault);
    text += '\n' + row.notes;
  }
  return text;
}

}  // namespace kbsim::report
