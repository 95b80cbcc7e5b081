#include "kbsim/report/correlation.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

using namespace kbsim;
using namespace kbsim::report;

namespace {

using Row = std::vector<std::string>;

CsvTable table(std::string source, const Row& columns, const std::vector<Row>& rows) {
  CsvTable made{.source = std::move(source), .columns = columns, .rows = {}};
  for (const Row& row : rows) {
    auto& cells = made.rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) cells[columns[i]] = row[i];
  }
  return made;
}

CsvTable simulated() {
  return table("mine", {"size", "time", "algorithm"},
               {{"1024", "2", "ring"}, {"2048", "3", "ring"}, {"4096", "5", "ring"}, {"1024", "9", "tree"}});
}

}  // namespace

TEST_CASE("correlate: errors, MAPE, geometric mean and worst point are those of the definition") {
  const Correlation found = correlate(simulated(), table("ref", {"algorithm", "size", "time"},
                                                         {{"ring", "1024", "1"}, {"ring", "4096", "10"}}));
  REQUIRE(found.points.size() == 3);
  CHECK(found.outside == 1);  // no reference for the tree
  CHECK(found.points[0].error_percent() == doctest::Approx(100.0));
  CHECK(found.points[1].reference == doctest::Approx(std::sqrt(10.0)));  // half-way on logarithmic axes
  CHECK(found.points[2].error_percent() == doctest::Approx(-50.0));
  const double middle = 100.0 * (3.0 / std::sqrt(10.0) - 1.0);
  CHECK(found.mape_percent() == doctest::Approx((100.0 + std::abs(middle) + 50.0) / 3.0));
  CHECK(found.geometric_mean() == doctest::Approx(std::cbrt(2.0 * 3.0 / std::sqrt(10.0) * 0.5)));
  CHECK(std::abs(found.worst().error_percent()) >= 50.0);
}

TEST_CASE("correlate: a table held against itself is right everywhere") {
  const Correlation found = correlate(simulated(), simulated());
  CHECK(found.points.size() == 4);
  CHECK(found.outside == 0);
  CHECK(found.mape_percent() == 0.0);
  CHECK(found.geometric_mean() == 1.0);
}

TEST_CASE("correlate: of the largest and the smallest times that there are all figures are finite") {
  const Correlation found =
      correlate(table("mine", {"size", "time"}, {{"1e-12", "1e18"}, {"1", "1e-12"}, {"1e18", "1e18"}}),
                table("ref", {"size", "time"}, {{"1e-12", "1e-12"}, {"1", "1e18"}, {"1e18", "1e-12"}}));
  REQUIRE(found.points.size() == 3);
  CHECK(std::isfinite(found.mape_percent()));
  CHECK(std::isfinite(found.geometric_mean()));
  CHECK(std::isfinite(found.worst().error_percent()));
}

TEST_CASE("correlate: a reference of another number of ranks is reported") {
  CsvTable mine{.source = "mine",
                .columns = {"size", "time", "world_size"},
                .rows = {{{"size", "8"}, {"time", "2"}, {"world_size", "4"}}}};
  CsvTable theirs{.source = "theirs",
                  .columns = {"size", "time", "ranks"},
                  .rows = {{{"size", "8"}, {"time", "2"}, {"ranks", "8"}}}};
  const Correlation found = correlate(mine, theirs);
  CHECK(found.other_ranks == "8 ranks, simulated 4");
  CHECK(to_text(found).find("of another number of ranks: 8 ranks, simulated 4") != std::string::npos);
  theirs.rows[0]["ranks"] = "4";
  CHECK(correlate(mine, theirs).other_ranks.empty());
}

TEST_CASE("correlate: a reference without names of algorithms is one curve for all") {
  const Correlation found =
      correlate(simulated(), table("ref", {"size", "time"}, {{"1024", "1"}, {"4096", "1"}}));
  CHECK(found.points.size() == 4);
}

TEST_CASE("correlate: what can't be compared is said") {
  const auto fails = [](const CsvTable& reference, const char* why) {
    CHECK_THROWS_WITH_AS((void)correlate(simulated(), reference), doctest::Contains(why), UsageError);
  };
  fails(table("ref", {"bytes", "time"}, {{"1", "1"}}), "no column 'size'");
  fails(table("ref", {"size", "latency"}, {{"1", "1"}}), "no column 'time'");
  fails(table("ref", {"size", "time"}, {{"1024", "0"}}), "must be positive");
  fails(table("ref", {"size", "time"}, {{"1024", "1e-300"}}), "must be from 1e-12 to 1e+18, got 1e-300");
  fails(table("ref", {"size", "time"}, {{"1024", "1e300"}}), "must be from 1e-12 to 1e+18, got 1e+300");
  fails(table("ref", {"size", "time"}, {{"1024", "1"}, {"1024", "2"}}), "two times for 1024 bytes");
}

TEST_CASE("correlate: tables that have nothing in common are reported with the column and the remedy") {
  const auto fails = [](const CsvTable& reference, const char* why) {
    CHECK_THROWS_WITH_AS((void)correlate(simulated(), reference), why, UsageError);
  };
  fails(table("ref", {"size", "time"}, {{"1", "1"}, {"2", "2"}}),
        "ref: column size: 1 to 2 bytes here, 1024 to 4096 bytes in mine; no size of those is between two of "
        "these: add some");
  fails(table("ref", {"algorithm", "size", "time"}, {{"ring", "1", "1"}, {"tree", "2048", "1"}}),
        "ref: column size: 1 to 2048 bytes here, 1024 to 4096 bytes in mine (of equal algorithm); no size of "
        "those is between two of these: add some");
  fails(
      table("ref", {"algorithm", "size", "time"}, {{"mesh", "1024", "1"}}),
      "ref: column algorithm: 'mesh' here, 'ring, tree' in mine; give equal things equal names, or leave it "
      "out");
  fails(
      table("ref", {"algorithm", "size", "time"}, {{"ring", "1", "1"}, {"mesh", "2048", "1"}}),
      "ref: column size: 1 bytes here, 1024 to 4096 bytes in mine (of equal algorithm); no size of those is "
      "between two of these: add some");
}

TEST_CASE("correlate: names that occur in both tables, but never together, are reported as such") {
  const Row columns{"algorithm", "type", "size", "time"};
  const CsvTable reference =
      table("ref", columns, {{"ring", "float", "1024", "1"}, {"tree", "half", "1024", "1"}});
  CHECK_THROWS_WITH_AS(
      (void)correlate(table("mine", columns, {{"ring", "half", "1024", "1"}}), reference),
      "ref: columns algorithm, type: 'ring float, tree half' here, 'ring half' in mine; give "
      "equal things equal names, or leave one out",
      UsageError);
}

TEST_CASE("require_reference: refuses what no rows could be held against, and nothing else") {
  CHECK_NOTHROW(require_reference(table("ref", {"size", "time"}, {{"1", "1"}})));
  CHECK_NOTHROW(
      require_reference(table("ref", {"algorithm", "size", "time"}, {{"a", "1", "1"}, {"b", "1", "2"}})));
  const auto refuses = [](const CsvTable& reference, const char* why) {
    CHECK_THROWS_WITH_AS(require_reference(reference), doctest::Contains(why), UsageError);
  };
  refuses(table("ref", {"size"}, {{"1"}}), "no column 'time'");
  refuses(table("ref", {"size", "time"}, {{"1", "fast"}}), "row 1, column time: 'fast' is no number");
  refuses(table("ref", {"size", "time"}, {{"-1", "1"}}), "must be positive");
  refuses(table("ref", {"algorithm", "size", "time"}, {{"a", "1", "1"}, {"a", "1", "2"}}),
          "row 2: two times for 1 byte of a");
}
