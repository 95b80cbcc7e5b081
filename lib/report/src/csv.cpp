#include "kbsim/report/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <sstream>
#include <system_error>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/utf8.hpp"

namespace kbsim::report {
namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20U;

// RFC 4180: commas between quotes are text, and two quotes there stand for one.
std::vector<std::string> cells_of(const std::string& line, const std::string& place) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  if (quoted) throw UsageError{fmt::format("{}: a quote is opened and not closed", place)};
  return cells;
}

std::string cell(const boost::json::value& value) {
  if (value.is_null()) return "NaN";
  if (value.is_double()) return fmt::format("{:.12g}", value.get_double());
  return csv_cell(value.is_string() ? std::string{value.get_string()} : boost::json::serialize(value));
}

}  // namespace

bool CsvTable::has(const std::string& column) const {
  return std::ranges::find(columns, column) != columns.end();
}

CsvTable read_csv(const std::filesystem::path& file) {
  const std::string text = read_input(file, file.string(), kLargest);
  if (looks_like_json(text))
    throw UsageError{fmt::format("{}: is JSON, expected CSV, as the results.csv of a run", file.string())};
  std::istringstream in{text};
  return parse_csv(in, file.string());
}

CsvTable parse_csv(std::istream& in, const std::string& source) {
  CsvTable table{.source = source, .columns = {}, .rows = {}};
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    const std::string place = fmt::format("{}:{}", source, number);
    const std::vector<std::string> cells = cells_of(line, place);
    if (table.columns.empty()) {
      table.columns = cells;
      for (const std::string& column : cells) {
        if (std::ranges::count(cells, column) > 1)
          throw UsageError{fmt::format("{}: two columns called '{}'", place, column)};
      }
      continue;
    }
    if (cells.size() != table.columns.size()) {
      throw UsageError{fmt::format("{}: {}, expected {} as in the first line", place,
                                   counted(cells.size(), "cell"), table.columns.size())};
    }
    std::map<std::string, std::string>& row = table.rows.emplace_back();
    for (const auto& [column, cell] : ranges::views::zip(table.columns, cells)) row[column] = cell;
  }
  if (table.rows.empty())
    throw UsageError{fmt::format("{}: no rows (expected names of columns, then a row a line)", source)};
  return table;
}

double number_in(const CsvTable& table, std::size_t row, const std::string& column) {
  const std::string& text = table.rows[row].at(column);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc{} && end == text.data() + text.size() && std::isfinite(value)) return value;
  throw UsageError{
      fmt::format("{}: row {}, column {}: '{}' is no number", table.source, row + 1, column, text)};
}

std::string csv_cell(std::string_view text) {
  const auto needs_care = [](char c) {
    return c == ',' || c == '"' || c == '\n' || c == '\r' || static_cast<signed char>(c) < 0;
  };
  if (std::ranges::none_of(text, needs_care)) return std::string{text};
  std::string line = as_utf8(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  if (line.find_first_of(",\"") == std::string::npos) return line;
  std::string cell{'"'};
  for (const char c : line) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

std::string to_csv(const boost::json::array& rows) {
  if (rows.empty()) return {};
  std::vector<std::string> cells;
  for (const auto& field : rows.front().as_object()) cells.push_back(csv_cell(field.key()));
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const auto& row : rows) {
    cells.clear();
    for (const auto& field : row.as_object()) cells.push_back(cell(field.value()));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace kbsim::report
