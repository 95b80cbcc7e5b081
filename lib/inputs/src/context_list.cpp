#include "kbsim/inputs/context_list.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"
#include "kbsim/inputs/text.hpp"

#include "cells.hpp"

namespace kbsim::inputs {
namespace {

constexpr std::int64_t kMostContext = 1048576;
constexpr std::size_t kMostSequences = 256;

// A line with cells; its offset in the text.
struct Row {
  std::size_t at = 0;
  std::vector<Cell> cells;
};

// A separator may end a line.
void drop_empty_end(std::vector<Cell>& cells, std::size_t least) {
  while (cells.size() > least && cells.back().text.empty()) cells.pop_back();
}

std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> rows;
  char separator = ',';
  for_each_line(text, [&](std::string_view line, std::size_t offset) {
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) return;
    if (rows.empty()) separator = separator_in(line);
    rows.push_back({offset, cells_of(line, separator)});
  });
  return rows;
}

[[noreturn]] void refuse(const Text& text, const Row& row, const Cell& cell, std::string_view expected) {
  throw text.error(row.at + cell.at, fmt::format("found '{}', expected {}", harmless(cell.text), expected));
}

// The place of the column in a header; none if the first line is a context alone.
std::optional<std::size_t> column_of(const Text& text, const Row& header) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    if (lower(header.cells[i].text) != "context") continue;
    if (found) throw text.error(header.at + header.cells[i].at, "two columns called 'context'");
    found = i;
  }
  if (!found && header.cells.size() > 1)
    refuse(text, header, header.cells.front(), "a header with a column 'context'");
  return found;
}

std::int64_t context_in(const Text& text, const Row& row, const Cell& cell, std::int64_t positions) {
  const std::int64_t most = positions == 0 ? kMostContext : std::min(kMostContext, positions - 1);
  const char* end = cell.text.data() + cell.text.size();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(cell.text.data(), end, number);
  if (error == std::errc{} && stop == end && number >= 1 && number <= most) return number;
  refuse(text, row, cell,
         fmt::format("a whole number from 1 to {}{}", most,
                     most == kMostContext
                         ? ""
                         : fmt::format(" (the model has {}, one for the next token: max_position_embeddings)",
                                       counted(positions, "position"))));
}

void require_number(const Text& text, std::span<const Row> rows, std::optional<std::int64_t> batch) {
  const std::size_t most = batch ? static_cast<std::size_t>(*batch) : kMostSequences;
  const std::string expected =
      batch ? fmt::format("{} (--batch)", *batch) : fmt::format("1 to {}", kMostSequences);
  if (rows.size() > most)
    throw text.error(rows[most].at, fmt::format("context {}, expected {}", most + 1, expected));
  if (batch && rows.size() < most)
    throw text.error(rows.back().at, fmt::format("the last one of {}, expected {}",
                                                 counted(rows.size(), "context"), expected));
}

}  // namespace

std::vector<std::int64_t> read_contexts(const std::filesystem::path& file, const ContextLimits& limits) {
  const Text text = Text::read(file, std::size_t{1} << 20U);
  std::vector<Row> rows = rows_of(with_plain_blanks(std::string{text.content()}));
  if (rows.empty()) throw UsageError{fmt::format("{}: no context, expected one a line", text.name())};
  drop_empty_end(rows.front().cells, 1);
  const std::optional<std::size_t> column = column_of(text, rows.front());
  const std::size_t columns = rows.front().cells.size();
  if (column) rows.erase(rows.begin());
  if (rows.empty()) throw UsageError{fmt::format("{}: no context after the header", text.name())};
  std::vector<std::int64_t> contexts;
  for (Row& row : rows) {
    drop_empty_end(row.cells, columns);
    if (row.cells.size() != columns)
      throw text.error(row.at, fmt::format("{}, expected {} as in the first line",
                                           counted(row.cells.size(), "cell"), columns));
    contexts.push_back(context_in(text, row, row.cells[column.value_or(0)], limits.positions));
  }
  require_number(text, rows, limits.batch);
  return contexts;
}

}  // namespace kbsim::inputs
