#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

namespace kbsim::report {

/// A CSV file with column names in its first line. Quoted cells and CRLF are supported.
struct CsvTable {
  std::string source;                                    // for errors
  std::vector<std::string> columns;                      // in the file's order
  std::vector<std::map<std::string, std::string>> rows;  // by column

  [[nodiscard]] bool has(const std::string& column) const;
};

/// UsageError naming file and line if it is invalid: no header, a duplicate column, a row of another length,
/// more than 64 MiB.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& file);
/// The same for the contents of a stream; errors name `source`.
[[nodiscard]] CsvTable parse_csv(std::istream& in, const std::string& source);

/// The number in a cell; UsageError naming table, row and column if it isn't finite.
[[nodiscard]] double number_in(const CsvTable& table, std::size_t row, const std::string& column);

/// A text as one cell (RFC 4180): in quotes if it has commas or quotes. Line ends become blanks, bytes that
/// aren't UTF-8 are escaped as by as_utf8().
[[nodiscard]] std::string csv_cell(std::string_view text);

/// Objects of numbers and texts as CSV: one column per key of the first object, one row per object. Texts are
/// csv_cell()s.
[[nodiscard]] std::string to_csv(const boost::json::array& rows);

}  // namespace kbsim::report
