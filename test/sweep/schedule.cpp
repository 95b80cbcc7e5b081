#include "kbsim/sweep/schedule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"

namespace kbsim::sweep::test::schedule_test {
namespace {

Plan grid() {
  Draft draft{.bench = "b"};
  draft.vary("n", {.text = "1..1024*2"});
  draft.vary("--algorithm", {.text = "ring,tree"});
  return plan_of(draft);
}

// Events as a product of powers, as costs are: n^1.5; a tree takes a third.
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

TEST_CASE("Schedule: after a tenth, the time left is right within a third, though a quarter is refused") {
  Draft draft{.bench = "b"};
  draft.vary("packages", {.text = "2..16*2"});
  draft.vary("--algorithm", {.text = "ring,tree,pairs,refused"});
  draft.vary("bandwidth", {.text = "64..832+64"});
  const Plan plan = plan_of(draft);
  REQUIRE(plan.points.size() == 208);
  std::vector<std::size_t> all(plan.points.size());
  std::iota(all.begin(), all.end(), 0);
  Schedule schedule{plan, all};
  Random random{7};
  // A ring's events grow with the square of the packages, a tree's slower; each takes 1 ms and 10 us an
  // event, give or take a quarter.
  const auto events_of = [&](const Point& point) {
    const double n = std::stod(plan.axes[0].values[point[0]].text);
    return point[1] == 3 ? 0.0 : point[1] == 1 ? 900.0 * n * std::log2(n) : 500.0 * n * n;
  };
  const auto seconds_of = [&](double events) {
    const double noise = 0.75 + 0.5 * static_cast<double>(random.below(1000)) / 1000.0;
    return events == 0.0 ? 3e-4 : (1e-3 + 1e-5 * events) * noise;
  };
  struct Worker {
    double free = 0.0;
    std::size_t point = 0;
    double seconds = 0.0;
  };
  std::array<Worker, 2> workers;
  const auto give = [&](Worker& worker) {
    worker.point = *schedule.next();
    worker.seconds = seconds_of(events_of(plan.points[worker.point]));
    worker.free += worker.seconds;
  };
  for (Worker& worker : workers) give(worker);
  double guess = 0.0;
  double then = 0.0;
  for (std::size_t done = 1; schedule.pending() > 0; ++done) {
    Worker& first = *std::ranges::min_element(workers, {}, &Worker::free);
    schedule.learn(first.point, events_of(plan.points[first.point]), first.seconds);
    const double now = first.free;
    give(first);
    if (done != 21) continue;
    schedule.refit();
    then = now;
    std::vector<Running> running;
    for (const Worker& worker : workers)
      running.push_back({.point = worker.point, .spent = now - worker.free + worker.seconds});
    guess = schedule.seconds_left(workers.size(), running);
  }
  const double left = std::ranges::max(workers, {}, &Worker::free).free - then;
  CAPTURE(guess);
  CAPTURE(left);
  CHECK(guess < left * 4 / 3);
  CHECK(guess > left * 2 / 3);
}

TEST_CASE("Schedule: what is left of one long point counts, and that others can't help it") {
  Draft draft{.bench = "b"};
  draft.vary("n", {.text = "1..8"});
  const Plan plan = plan_of(draft);
  Schedule schedule{plan, {0, 1, 2}};
  CHECK(schedule.seconds_left(2, {}) == 0.0);
  schedule.learn(7, 100.0, 6.0);
  CHECK(schedule.seconds_left(1, {}) == doctest::Approx(18.0));
  CHECK(schedule.seconds_left(2, {}) == doctest::Approx(12.0));
  CHECK(schedule.seconds_left(3, {}) == doctest::Approx(6.0));
  const std::vector<Running> running{{.point = 3, .spent = 2.0}};
  CHECK(schedule.seconds_left(4, running) == doctest::Approx(6.0));
  CHECK(schedule.seconds_left(1, running) == doctest::Approx(22.0));
}

TEST_CASE("FailureRates: alike points fail alike") {
  const Plan plan = grid();
  FailureRates rates{plan.axes};
  CHECK(rates.of(plan.points[0]) == 0.0);
  for (std::size_t i = 0; i < plan.points.size(); i += 3) rates.learn(plan.points[i], plan.points[i][1] == 1);
  for (const Point& point : plan.points) {
    CAPTURE(point[0]);
    CHECK((point[1] == 1 ? rates.of(point) > 0.7 : rates.of(point) < 0.3));
  }
}

}  // namespace kbsim::sweep::test::schedule_test
