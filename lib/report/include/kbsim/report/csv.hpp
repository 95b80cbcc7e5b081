#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

namespace kbsim::report {

/// A CSV file with names of columns in its first line. Quoted cells and CRLF are understood.
struct CsvTable {
  std::string source;                                    // for errors
  std::vector<std::string> columns;                      // in their order
  std::vector<std::map<std::string, std::string>> rows;  // by column

  [[nodiscard]] bool has(const std::string& column) const;
};

/// UsageError naming file and line for what isn't one: no header, twice the same column, a row of another
/// length, more than 64 MiB.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& file);
/// The same of what a stream holds; errors name `source`.
[[nodiscard]] CsvTable parse_csv(std::istream& in, const std::string& source);

/// The number in a cell; UsageError naming table, row and column for what isn't a finite one.
[[nodiscard]] double number_in(const CsvTable& table, std::size_t row, const std::string& column);

/// Objects of numbers and texts as CSV: a column a key of the first, a row each. A text with commas or quotes
/// is in quotes (RFC 4180), line ends are blanks.
[[nodiscard]] std::string to_csv(const boost::json::array& rows);

}  // namespace kbsim::report
