#include "kbsim/report/csv.hpp"

#include <fstream>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

using namespace kbsim;
using namespace kbsim::report;

namespace {

std::filesystem::path written(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "kbsim_test_report.csv";
  std::ofstream{path, std::ios::binary} << text;
  return path;
}

std::string error_of(const std::string& text) {
  try {
    (void)read_csv(written(text));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("read_csv: names of columns, then rows; quotes, CRLF, comments and empty lines are understood") {
  const CsvTable table =
      read_csv(written("# from somewhere\r\nsize,\"the, time\"\r\n1,2.5\r\n\r\n3,\"4\"\r\n"));
  CHECK(table.columns == std::vector<std::string>{"size", "the, time"});
  REQUIRE(table.rows.size() == 2);
  CHECK(number_in(table, 0, "the, time") == 2.5);
  CHECK(number_in(table, 1, "the, time") == 4.0);
  CHECK(table.has("size"));
  CHECK(read_csv(written("\xef\xbb\xbfsize,time\n1,2\n")).has("size"));  // after a byte order mark
  CHECK(!table.has("time"));
}

TEST_CASE("read_csv: what isn't a table is refused with its line") {
  CHECK(error_of("").find("no rows") != std::string::npos);
  CHECK(error_of("a,b\n").find("no rows") != std::string::npos);
  CHECK(error_of("a,b\n1\n").find(":2: 1 cell, expected 2") != std::string::npos);
  CHECK(error_of("a,a\n1,2\n").find("two columns called 'a'") != std::string::npos);
  CHECK(error_of("a,b\n\"q,2\n").find(":2: a quote is opened and not closed") != std::string::npos);
  CHECK_THROWS_AS((void)read_csv("/nonexistent/file.csv"), UsageError);
}

TEST_CASE("number_in: a cell that is no finite number is named") {
  const CsvTable table = read_csv(written("a\nx\nnan\n1e999\n7 \n"));
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    CAPTURE(row);
    CHECK_THROWS_WITH_AS((void)number_in(table, row, "a"), doctest::Contains("is no number"), UsageError);
  }
}

TEST_CASE("csv_cell: a text is one cell, in one line, in UTF-8") {
  CHECK(csv_cell("plain text") == "plain text");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"a\"") == "\"say \"\"a\"\"\"");
  CHECK(csv_cell("a\r\nb") == "a  b");
  CHECK(csv_cell("caf\xe9") == "caf\\xe9");
}

TEST_CASE("to_csv: names and texts of any kind are read back as they were written") {
  const std::string odd = "a,b \"c\" \\d\\";
  const CsvTable table =
      read_csv(written(to_csv({{{"size", 1}, {odd, odd}}, {{"size", 2}, {odd, "caf\xe9"}}})));
  CHECK(table.columns == std::vector<std::string>{"size", odd});
  CHECK(table.rows.at(0).at(odd) == odd);
  CHECK(table.rows.at(1).at(odd) == "caf\\xe9");
}
