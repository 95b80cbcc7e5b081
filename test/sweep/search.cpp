// Searches find the result of going through all settings.
#include "kbsim/sweep/search.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "sanitized.hpp"

namespace kbsim::sweep::test::search_test {
namespace {

using kbsim::test::fewer;
using Number = std::function<std::optional<double>(const Point&)>;

// Axes with random values and weights of either sign.
std::vector<SearchAxis> random_axes(std::mt19937& random, std::size_t most) {
  std::vector<SearchAxis> axes;
  const std::size_t n = 1 + random() % 3;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> values;
    double value = 1.0;
    for (std::size_t k = 1 + random() % most; k > 0; --k) values.push_back(value += 1.0 + random() % 5);
    const double weight = (random() % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(1 + random() % 4);
    axes.push_back(search_axis(std::string(1, static_cast<char>('a' + i)), values, weight));
  }
  return axes;
}

// Random times that never grow when a key's value, and so its cost, rises.
Number random_monotone(std::mt19937& random, std::size_t axes) {
  std::vector<double> gains;
  for (std::size_t i = 0; i < axes; ++i) gains.push_back(static_cast<double>(random() % 100));
  const double shared = static_cast<double>(random() % 500);
  return [gains, shared](const Point& point) {
    double time = 1000.0;
    double least = 1e9;
    for (std::size_t i = 0; i < point.size(); ++i) {
      time -= gains[i] * std::sqrt(point[i]);
      least = std::min(least, static_cast<double>(point[i]));
    }
    return std::floor(time + shared / (1.0 + least));
  };
}

std::vector<Point> all_points(const std::vector<SearchAxis>& axes) {
  std::vector<Point> all{{}};
  for (const SearchAxis& axis : axes) {
    std::vector<Point> more;
    for (const Point& point : all) {
      for (std::uint32_t i = 0; i < axis.values.size(); ++i) {
        more.push_back(point);
        more.back().push_back(i);
      }
    }
    all = std::move(more);
  }
  return all;
}

std::optional<double> least_cost(const SearchTask& task, const Number& number) {
  std::optional<double> least;
  for (const Point& point : all_points(task.axes)) {
    const std::optional<double> found = number(point);
    const double cost = cost_of(task.axes, point);
    if (found && task.bound.holds(*found) && (!least || cost < *least)) least = cost;
  }
  return least;
}

SearchTask task_of(std::vector<SearchAxis> axes, Bound bound, const Number& number) {
  return {.axes = std::move(axes), .bound = bound, .simulate = [number](const std::vector<Point>& points) {
            std::vector<Probe> probes;
            for (const Point& point : points) probes.push_back({.number = number(point)});
            return probes;
          }};
}

void check_optimum(const SearchTask& task, const Number& number, const SearchResult& found) {
  const std::optional<double> least = least_cost(task, number);
  REQUIRE(found.best.has_value() == least.has_value());
  if (!found.best) return;
  CHECK(cost_of(task.axes, *found.best) == *least);
  CHECK(task.bound.holds(*number(*found.best)));
  CHECK(!found.nearest);
}

}  // namespace

TEST_CASE("Search: of a space that is simulated whole the optimum, whatever the numbers are") {
  for (unsigned seed = 1; seed <= fewer(200); ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const std::vector<SearchAxis> axes = random_axes(random, 5);
    const unsigned salt = random();
    const Number number = [salt](const Point& point) -> std::optional<double> {
      std::size_t mixed = salt;
      for (const std::uint32_t i : point) mixed = mixed * 31 + i * 17;
      if (mixed % 7 == 0) return std::nullopt;  // one that doesn't run
      return static_cast<double>(mixed % 100);
    };
    SearchTask task =
        task_of(axes, {.value = static_cast<double>(random() % 40), .at_least = random() % 2 == 0}, number);
    task.most = 1000;
    task.at_a_time = 1 + random() % 4;
    const SearchResult found = search(task);
    CHECK(found.proof == Proof::simulated);
    check_optimum(task, number, found);
  }
}

TEST_CASE("Search: of a larger space where dearer isn't worse the optimum, by fewer simulations") {
  std::size_t simulated = 0;
  std::size_t settings = 0;
  unsigned open = 0;
  for (unsigned seed = 1; seed <= fewer(100); ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const std::vector<SearchAxis> axes = random_axes(random, 12);
    const Number number = random_monotone(random, axes.size());
    const double target = 700.0 + static_cast<double>(random() % 700);
    SearchTask task = task_of(axes, {.value = target}, number);
    const std::size_t all = size_of(axes);
    task.most = all > 1 ? all - 1 : 1;
    task.at_a_time = 1 + random() % 2;
    // The answer is the same with a right prediction, a wrong one, or none.
    if (seed % 3 == 0) task.predict = [number](const Point&, const Point& to) { return *number(to); };
    if (seed % 3 == 1) task.predict = [number](const Point&, const Point& to) { return 1400 - *number(to); };
    const SearchResult found = search(task);
    if (found.proof == Proof::open) {  // all simulations are spent
      ++open;
      continue;
    }
    check_optimum(task, number, found);
    CHECK(!found.contradiction);
    if (seed % 3 != 0) continue;
    simulated += found.simulated.size();
    settings += all;
  }
  CHECK(open < fewer(100) / 5);
  CHECK(10 * simulated < 4 * settings);
}

TEST_CASE("Search: if nothing meets the bound, what misses it by least") {
  const std::vector<SearchAxis> axes{search_axis("a", {1, 2, 3, 4}, 1.0)};
  const Number number = [](const Point& point) { return 100.0 - point[0]; };
  for (const std::size_t most : {10, 3}) {
    SearchTask task = task_of(axes, {.value = 50.0}, number);
    task.most = most;
    const SearchResult found = search(task);
    CHECK(!found.best);
    CHECK(found.nearest == Point{3});
    CHECK(found.proof == (most == 10 ? Proof::simulated : Proof::monotone));
    CHECK(found.simulated.size() == (most == 10 ? 4 : 2));
  }
}

TEST_CASE("Search: without simulations enough it says what is open, and keeps what a signal left") {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i);
  const std::vector<SearchAxis> axes{search_axis("a", values, 1.0), search_axis("b", values, 1.0)};
  const Number number = [](const Point& point) { return 300.0 - point[0] - point[1]; };
  SearchTask task = task_of(axes, {.value = 250.0}, number);
  task.most = 4;
  const SearchResult found = search(task);
  CHECK(found.proof == Proof::open);
  CHECK(found.open > 0);
  CHECK(found.simulated.size() == 4);
  task.simulate = [&](const std::vector<Point>& points) {
    std::vector<Probe> probes(points.size(), Probe{.ended = false});
    probes.front() = {.number = 300.0};
    return probes;
  };
  const SearchResult stopped = search(task);
  CHECK(stopped.proof == Proof::open);
  CHECK(stopped.simulated.size() == 1);
  CHECK(stopped.nearest == Point{0, 0});
}

TEST_CASE("Search: simulations that contradict its assumption are reported") {
  const std::vector<SearchAxis> axes{search_axis("a", {1, 2, 3, 4}, 1.0)};
  SearchTask task = task_of(axes, {.value = 0.0}, [](const Point& point) { return 100.0 + point[0]; });
  task.most = 3;
  const SearchResult found = search(task);
  REQUIRE(found.contradiction);
  CHECK(found.contradiction->first == Point{3});
  CHECK(found.contradiction->second == Point{0});
}

TEST_CASE("Search: less of a key with a negative weight is dearer; too many settings are refused") {
  CHECK(search_axis("latency_ns", {1, 4, 2}, -1.0).values == std::vector<double>{4, 2, 1});
  CHECK_THROWS_AS((void)search_axis("none", {}, 1.0), UsageError);
  const SearchAxis large = search_axis("a", std::vector<double>(1000, 1.0), 1.0);
  CHECK_THROWS_AS((void)size_of({large, large}), UsageError);
  CHECK(Bound{.value = 10.0}.miss(12.0) == doctest::Approx(0.2));
  CHECK(Bound{.value = 10.0, .at_least = true}.miss(12.0) == 0.0);
}

}  // namespace kbsim::sweep::test::search_test
