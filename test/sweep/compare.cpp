// Two sweeps beside each other.
#include <functional>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sweep/compare_sweeps.hpp"

namespace kbsim::sweep::test::compare_test {
namespace {

// Points of n and another axis, with a latency each; 0: it has failed.
struct Sweep {
  explicit Sweep(const std::string& n, const std::string& others, const std::string& axis,
                 const std::function<double(double)>& latency) {
    Draft draft{.bench = "b"};
    draft.vary("x.n", {.text = n});
    draft.vary(axis, {.text = others});
    tables.plan = plan_of(draft);
    records.reserve(tables.plan.points.size());
    for (std::size_t i = 0; i < tables.plan.points.size(); ++i) {
      const std::vector<std::string> values = values_of(tables.plan, tables.plan.points[i]);
      const double found = latency(std::stod(values[0]));
      records.push_back({.request = "r", .key = "k", .exit = found > 0.0 ? 0 : 8});
      tables.rows.push_back(
          {.point = i, .values = values, .command = "", .key = "k", .record = &records.back()});
      if (found > 0.0) tables.rows.back().metrics = {{.name = "latency_ns", .unit = "ns", .value = found}};
    }
  }
  std::vector<Record> records;
  Tables tables;
};

}  // namespace

TEST_CASE("Sweeps: points are matched by their parameters, with ratios and their geometric mean") {
  const Sweep a{"1,2,4", "ring,tree", "--algorithm", [](double n) { return 10.0 * n; }};
  const Sweep b{"2,4,8", "ring,tree", "--algorithm", [](double n) { return n == 2.0 ? 10.0 : 160.0; }};
  const SweepComparison found = compare(a.tables, b.tables, "");
  CHECK(found.metric == "latency_ns");
  REQUIRE(found.points.size() == 4);
  CHECK(found.points[0].point == "x.n=2 algorithm=ring");
  CHECK(found.points[0].ratio() == 0.5);
  CHECK(found.points[2].ratio() == 4.0);
  CHECK(*found.geometric_mean == doctest::Approx(1.4142135));
  CHECK(found.only_first == 2);
  CHECK(found.only_second == 2);
  CHECK(!found.same());
  const std::string text = to_text(found);
  CHECK_MESSAGE(text.find("geometric mean") != std::string::npos, text);
  CHECK(to_json(found).at("points").as_array().size() == 4);
}

TEST_CASE("Sweeps: one against itself is the same; what failed has no number") {
  const Sweep a{"1,2,4", "ring,tree", "--algorithm", [](double n) { return n == 2.0 ? 0.0 : n; }};
  const SweepComparison found = compare(a.tables, a.tables, "latency_ns");
  CHECK(found.same());
  CHECK(found.points.size() == 4);
  CHECK(*found.geometric_mean == 1.0);
}

TEST_CASE("Sweeps: keys that distinguish the points of one must be axes of both") {
  const Sweep a{"1,2", "ring,tree", "--algorithm", [](double n) { return n; }};
  const Sweep b{"1,2", "3", "x.m", [](double n) { return 2.0 * n; }};
  CHECK_THROWS_AS((void)compare(a.tables, b.tables, ""), UsageError);
  const Sweep c{"1,2", "3", "x.k", [](double n) { return 3.0 * n; }};
  CHECK(*compare(b.tables, c.tables, "").geometric_mean == doctest::Approx(1.5));
  CHECK_THROWS_AS((void)compare(b.tables, c.tables, "none"), UsageError);
}

}  // namespace kbsim::sweep::test::compare_test
