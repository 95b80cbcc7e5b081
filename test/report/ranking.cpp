#include "kbsim/report/ranking.hpp"

#include <array>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::report::test {
namespace {

CsvTable times_of(const std::vector<std::array<std::string, 3>>& rows) {
  CsvTable table{.source = "t", .columns = {"algorithm", "size", "time"}, .rows = {}};
  for (const auto& [algorithm, size, time] : rows)
    table.rows.push_back({{"algorithm", algorithm}, {"size", size}, {"time", time}});
  return table;
}

// A tree is fast for small sizes, a ring for large ones; they cross over half-way between two sizes.
CsvTable measured() {
  return times_of({{"ring", "1024", "20"},
                   {"ring", "4096", "20"},
                   {"ring", "16384", "40"},
                   {"tree", "1024", "10"},
                   {"tree", "4096", "40"},
                   {"tree", "16384", "160"}});
}

}  // namespace

TEST_CASE("Ranking: a table held against itself is ranked alike at every size") {
  const Ranking same = rank(correlate(measured(), measured()));
  REQUIRE(same.sizes.size() == 3);
  CHECK(same.sizes[0].simulated == std::vector<std::string>{"tree", "ring"});
  CHECK(same.sizes[2].reference == std::vector<std::string>{"ring", "tree"});
  CHECK(*same.tau() == 1.0);
  CHECK(same.equal_winners() == 3);
  REQUIRE(same.crossovers.size() == 1);
  CHECK(same.crossovers[0].simulated.at(0) == doctest::Approx(2048.0));
  CHECK(same.crossovers[0].reference.at(0) == doctest::Approx(2048.0));
}

TEST_CASE("Ranking: pairs that the sides order differently count against it") {
  const CsvTable mine = times_of({{"ring", "1024", "1"},
                                  {"ring", "4096", "2"},
                                  {"ring", "16384", "3"},
                                  {"tree", "1024", "2"},
                                  {"tree", "4096", "3"},
                                  {"tree", "16384", "4"}});
  const Ranking found = rank(correlate(mine, measured()));
  CHECK(*found.tau() == doctest::Approx(1.0 / 3.0));
  CHECK(found.equal_winners() == 2);
  REQUIRE(found.crossovers.size() == 1);
  CHECK(found.crossovers[0].simulated.empty());
  CHECK(found.crossovers[0].reference.size() == 1);
  CHECK(to_text(found).find("cross over nowhere (reference: at 2048 B)") != std::string::npos);
}

TEST_CASE("Ranking: a pair that one side ties counts against tau-b, one that both tie doesn't") {
  const CsvTable mine = times_of({{"a", "8", "1"}, {"b", "8", "1"}, {"c", "8", "2"}});
  const CsvTable theirs = times_of({{"a", "8", "5"}, {"b", "8", "6"}, {"c", "8", "6"}});
  const Ranking found = rank(correlate(mine, theirs));
  CHECK(found.concordant == 1);  // a before c
  CHECK(found.tied_simulated == 1);
  CHECK(found.tied_reference == 1);
  CHECK(*found.tau() == doctest::Approx(0.5));
  CHECK(found.sizes[0].simulated_text == "a = b, c");
  CHECK(found.sizes[0].reference_text == "a, b = c");
  CHECK(found.equal_winners() == 1);
  CHECK(*rank(correlate(mine, mine)).tau() == doctest::Approx(1.0));
}

TEST_CASE("Ranking: the fastest of those that a side ties is whichever the other has") {
  const CsvTable mine = times_of({{"a", "8", "1"}, {"b", "8", "1"}});
  const CsvTable theirs = times_of({{"a", "8", "6"}, {"b", "8", "5"}});
  const Ranking found = rank(correlate(mine, theirs));
  CHECK(found.equal_winners() == 1);
  CHECK(!found.tau());
  CHECK(to_text(found).find("isn't defined") != std::string::npos);
  CHECK(to_json(found).at("kendall_tau").is_null());
}

TEST_CASE("Ranking: one algorithm alone isn't ranked") {
  const CsvTable ring = times_of({{"ring", "1024", "1"}});
  CHECK(rank(correlate(ring, ring)).sizes.empty());
}

TEST_CASE(
    "Calibration: latency and efficiency of one algorithm explain the others exactly if they share them") {
  // measured = 5 us + simulated / 0.8
  const CsvTable mine =
      times_of({{"ring", "1", "4"}, {"ring", "2", "8"}, {"ring", "4", "16"}, {"tree", "1", "12"}});
  const CsvTable theirs =
      times_of({{"ring", "1", "10"}, {"ring", "2", "15"}, {"ring", "4", "25"}, {"tree", "1", "20"}});
  const Calibration fit = calibrate(correlate(mine, theirs), "ring");
  CHECK(fit.latency_us == doctest::Approx(5.0));
  CHECK(fit.efficiency == doctest::Approx(0.8));
  CHECK(fit.fitted == 3);
  CHECK(fit.judged == 1);
  CHECK(fit.fitted_mape_percent == doctest::Approx(0.0));
  CHECK(fit.judged_mape_percent == doctest::Approx(0.0));
}

TEST_CASE("Calibration: a latency is never negative, and one point is fitted by an efficiency alone") {
  const CsvTable mine = times_of({{"ring", "1", "10"}, {"ring", "2", "20"}, {"tree", "1", "10"}});
  const CsvTable theirs = times_of({{"ring", "1", "1"}, {"ring", "2", "19"}, {"tree", "1", "20"}});
  CHECK(calibrate(correlate(mine, theirs), "ring").latency_us == 0.0);
  const Calibration one = calibrate(correlate(mine, theirs), "tree");
  CHECK(one.latency_us == 0.0);
  CHECK(one.efficiency == doctest::Approx(0.5));
}

TEST_CASE("Calibration: what can't be fitted or judged is said") {
  const Correlation both = correlate(measured(), measured());
  CHECK_THROWS_AS((void)calibrate(both, "mesh"), UsageError);
  const CsvTable ring = times_of({{"ring", "1024", "1"}});
  CHECK_THROWS_AS((void)calibrate(correlate(ring, ring), "ring"), UsageError);
}

}  // namespace kbsim::report::test
