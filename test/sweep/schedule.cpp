#include "kbsim/sweep/schedule.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace kbsim::sweep::test::schedule_test {
namespace {

Plan grid() {
  Draft draft{.bench = "b"};
  draft.vary("n", {.text = "1..1024*2"});
  draft.vary("--algorithm", {.text = "ring,tree"});
  return plan_of(draft);
}

// Of a product of powers, as costs are: n^1.5, and a tree takes a third.
double events(const Plan& plan, const Point& point) {
  const double n = std::stod(plan.axes[0].values[point[0]].text);
  return 100.0 * std::pow(n, 1.5) / (point[1] == 1 ? 3.0 : 1.0);
}

}  // namespace

TEST_CASE("CostModel: products of powers are guessed within 5 % by a third of the points") {
  const Plan plan = grid();
  CostModel model{plan.axes};
  for (std::size_t i = 0; i < plan.points.size(); i += 3)
    model.learn(plan.points[i], events(plan, plan.points[i]));
  REQUIRE(model.fit());
  for (const Point& point : plan.points)
    CHECK(model.guess(point) == doctest::Approx(events(plan, point)).epsilon(0.05));
}

TEST_CASE("Schedule: each point once, the longest first as soon as lengths are known") {
  const Plan plan = grid();
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < plan.points.size(); ++i) all.push_back(i);
  Schedule schedule{plan, all};
  std::vector<double> order;
  double left = 0.0;
  while (const auto point = schedule.next()) {
    order.push_back(events(plan, plan.points[*point]));
    schedule.learn(*point, order.back(), 1e-3 + 1e-6 * order.back());
    if (order.size() == 8) left = schedule.seconds_left(1, {});
  }
  REQUIRE(order.size() == plan.points.size());
  CHECK(std::ranges::is_sorted(order.begin() + 6, order.end(), std::greater{}));
  double rest = 0.0;
  for (std::size_t i = 8; i < order.size(); ++i) rest += 1e-3 + 1e-6 * order[i];
  CHECK(left == doctest::Approx(rest).epsilon(0.05));
}

}  // namespace kbsim::sweep::test::schedule_test
