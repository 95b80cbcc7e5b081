// One source, one link, one sink: the queue that theory knows exactly.
#include <cmath>

#include <doctest/doctest.h>

#include "sanitized.hpp"
#include "support.hpp"

namespace kbsim::test::single_link_test {
namespace {

// P(wait <= x services) of M/D/1 (Erlang 1909):
//   (1 - rho) * sum over k = 0 ... floor(x) of (rho (k - x))^k / k! * exp(-rho (k - x)).
double waits_at_most(double x, double rho) {
  long double sum = 0.0L;
  long double factorial = 1.0L;
  for (int k = 0; k <= static_cast<int>(x); ++k) {
    if (k > 0) factorial *= k;
    const long double y = static_cast<long double>(rho) * (k - static_cast<long double>(x));
    sum += std::pow(y, k) / factorial * std::exp(-y);
  }
  return static_cast<double>((1.0L - static_cast<long double>(rho)) * sum);
}

// The wait that the share p doesn't exceed, by bisection.
double exact_quantile(double p, double rho) {
  double low = 0.0;
  double high = 40.0;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (waits_at_most(middle, rho) < p ? low : high) = middle;
  }
  return high;
}

double exact_mean(double rho) { return rho / (2.0 * (1.0 - rho)); }

hw::TrafficResult poisson(double rho, std::uint64_t seed) {
  return Case{"link", "uniform"}.run({.rate = rho, .packets = 1'000'000, .warmup = 20'000, .seed = seed});
}

}  // namespace

TEST_CASE("M/D/1: Erlang's formula gives the textbook's figures") {
  CHECK(exact_mean(0.8) == doctest::Approx(2.0));
  CHECK(exact_quantile(0.99, 0.8) == doctest::Approx(10.36).epsilon(0.001));
}

// A statistic of millions of packets: sanitizers see the same code in the tests below.
TEST_CASE("Link: the wait under Poisson arrivals follows M/D/1 in mean, p95 and p99" *
          doctest::skip(kSanitized)) {
  for (const double rho : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
    CAPTURE(rho);
    const hw::TrafficResult result = poisson(rho, 7);
    const double tolerance = rho < 0.85 ? 0.02 : 0.05;
    CHECK(mean_wait(result) == doctest::Approx(exact_mean(rho)).epsilon(tolerance));
    CHECK(wait_quantile(result, 0.95) == doctest::Approx(exact_quantile(0.95, rho)).epsilon(tolerance));
    CHECK(wait_quantile(result, 0.99) == doctest::Approx(exact_quantile(0.99, rho)).epsilon(tolerance));
    CHECK(largest_utilization(result) == doctest::Approx(rho).epsilon(0.01));
    CHECK(result.accepted == doctest::Approx(result.offered).epsilon(0.001));
  }
}

TEST_CASE("Link: Bernoulli arrivals at most one a service time never wait") {
  const hw::TrafficResult result =
      Case{"link", "uniform"}.run({.arrivals = hw::Arrivals::bernoulli, .rate = 0.7});
  CHECK(result.waits.back() == Time{0});
  CHECK(result.accepted == doctest::Approx(0.7).epsilon(0.01));
}

TEST_CASE("Link: a saturated source fills it without gaps") {
  const hw::TrafficResult result =
      Case{"link", "uniform"}.run({.arrivals = hw::Arrivals::saturated, .packets = 1000, .warmup = 10});
  CHECK(largest_utilization(result) == 1.0);
  CHECK(result.latencies.size() == 1000);
  CHECK(result.waits.back() == Time{0});
}

}  // namespace kbsim::test::single_link_test
