#include "kbsim/base/quantiles.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/random.hpp"
#include "kbsim/base/statistics.hpp"
#include "kbsim/base/thinned.hpp"

using namespace kbsim;

namespace {

constexpr double kShares[] = {0.001, 0.25, 0.5, 0.95, 0.999, 1.0};

std::vector<double> drawn(std::size_t count) {
  Random random{11, 0};
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(std::pow(10.0, 8.0 * random.uniform() - 4.0));
  return numbers;
}

Quantiles quantiles_of(const std::vector<double>& numbers) {
  Quantiles all;
  for (const double number : numbers) all.add(number);
  return all;
}

}  // namespace

TEST_CASE("Quantiles: exact for the kept numbers, near enough for more, and no more are kept") {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{1000}, Quantiles::kExact, 10 * Quantiles::kExact}) {
    std::vector<double> numbers = drawn(count);
    const Quantiles all = quantiles_of(numbers);
    std::ranges::sort(numbers);
    CHECK(all.count() == count);
    CHECK(all.most() == numbers.back());
    CHECK(all.kept() <= Quantiles::kExact);
    for (const double share : kShares) {
      const double exact = nearest_rank<double>(numbers, share);
      if (count <= Quantiles::kExact)
        CHECK(all.at(share) == exact);
      else
        CHECK(std::abs(all.at(share) / exact - 1.0) <= 0.0005);
    }
  }
}

TEST_CASE("Quantiles: those of two sets together are those of all, however many each has") {
  const std::vector<double> numbers = drawn(2 * Quantiles::kExact);
  const Quantiles whole = quantiles_of(numbers);
  for (const std::ptrdiff_t cut : {0, 1, 1000, 40'000, 65'536}) {
    Quantiles first = quantiles_of({numbers.begin(), numbers.begin() + cut});
    first.add(quantiles_of({numbers.begin() + cut, numbers.end()}));
    CHECK(first.count() == whole.count());
    CHECK(first.mean() == doctest::Approx(whole.mean()));
    for (const double share : kShares) CHECK(first.at(share) == whole.at(share));
  }
}

TEST_CASE("Quantiles: of zeros, of the very small and large, and of nothing") {
  Quantiles all;
  for (std::size_t i = 0; i < 2 * Quantiles::kExact; ++i) all.add(0.0);
  CHECK(all.at(0.5) == 0.0);
  for (std::size_t i = 0; i < 6 * Quantiles::kExact; ++i) all.add(1e300);
  CHECK(all.at(0.1) == 0.0);
  CHECK(all.at(0.9) > 1e12);  // values above 2^40 share the last interval
  CHECK(all.at(1.0) <= 1e300);
  CHECK_THROWS_AS(all.add(-1.0), InternalError);
  CHECK_THROWS_AS((void)Quantiles{}.at(0.5), InternalError);
  CHECK_THROWS_AS((void)Quantiles{}.mean(), InternalError);
}

TEST_CASE("Thinned: all that is added, then every second, every fourth") {
  Thinned<int> thinned{4};
  for (int i = 0; i < 4; ++i) thinned.add(i);
  CHECK(thinned.kept() == std::vector{0, 1, 2, 3});
  thinned.add(4);
  CHECK(thinned.kept() == std::vector{0, 2, 4});
  for (int i = 5; i < 20; ++i) thinned.add(i);
  CHECK(thinned.kept() == std::vector{0, 8, 16});
  CHECK(thinned.step() == 8);
}
