#include "kbsim/base/statistics.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"

using namespace kbsim;

TEST_CASE("nearest_rank: the smallest value that the share doesn't exceed, exactly") {
  const std::vector<int> values{15, 20, 35, 40, 50};
  CHECK(nearest_rank<int>(values, 0.05) == 15);
  CHECK(nearest_rank<int>(values, 0.30) == 20);
  CHECK(nearest_rank<int>(values, 0.40) == 20);
  CHECK(nearest_rank<int>(values, 0.50) == 35);
  CHECK(nearest_rank<int>(values, 1.00) == 50);
  CHECK_THROWS_AS((void)nearest_rank<int>(std::vector<int>{}, 0.5), InternalError);
}

TEST_CASE("mean: of times, in picoseconds") {
  CHECK(mean(std::vector<Time>{1_ps, 2_ps, 6_ps}) == 3.0);
  CHECK_THROWS_AS((void)mean(std::vector<Time>{}), InternalError);
}

TEST_CASE("Random: equal seeds and streams draw alike, others don't, and means are right") {
  Random a{1, 2};
  Random b{1, 2};
  Random c{1, 3};
  double uniform = 0.0;
  double exponential = 0.0;
  std::int64_t trials = 0;
  std::uint64_t below = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = a.uniform();
    CHECK((u >= 0.0 && u < 1.0 && u == b.uniform() && u != c.uniform()));
    uniform += u;
    exponential += c.exponential();
    trials += c.geometric(0.25);
    below += c.below(11);
  }
  CHECK(uniform / kDraws == doctest::Approx(0.5).epsilon(0.01));
  CHECK(exponential / kDraws == doctest::Approx(1.0).epsilon(0.02));
  CHECK(static_cast<double>(trials) / kDraws == doctest::Approx(4.0).epsilon(0.02));
  CHECK(static_cast<double>(below) / kDraws == doctest::Approx(5.0).epsilon(0.02));
  CHECK(c.geometric(1.0) == 1);
}
