// Claims of docs/adr/0010-hbm-models.md about the two models of a slice.
#include <functional>
#include <random>

#include <doctest/doctest.h>

#include "hbm_support.hpp"
#include "sanitized.hpp"

namespace kbsim::hw::test::hbm_patterns_test {
namespace {

// Access i: its first address, and whether it is a write.
using Pattern = std::function<std::pair<std::int64_t, bool>(int)>;

// The share of raw bandwidth that n accesses of one size get, all asked for at once.
double share(int n, Bytes each, const Pattern& pattern) {
  HbmTiming slice{HbmSpec{}, kRaw};
  Time end{};
  for (int i = 0; i < n; ++i) {
    const auto [address, write] = pattern(i);
    end = std::max(end, slice.serve(address, each, write, Time{0}).end);
  }
  return static_cast<double>(kRaw.serialization(each * n).count()) / static_cast<double>(end.count());
}

Pattern reads_anywhere(Bytes each) {
  return [each, engine = std::mt19937{1}](int) mutable {
    return std::pair{static_cast<std::int64_t>(engine() % (1U << 20)) * each.count(), false};
  };
}

// Reads of one region and writes of another, `apart`, taking turns.
Pattern copy(Bytes each, Bytes apart) {
  return
      [each, apart](int i) { return std::pair{(i % 2) * apart.count() + i / 2 * each.count(), i % 2 == 1}; };
}

constexpr double kOne = 0.01;  // percent

}  // namespace

TEST_CASE("HBM patterns: the shares of raw bandwidth that the decision about the models names" *
          doctest::skip(kbsim::test::kSanitized)) {
  const auto percent = [](double value) { return doctest::Approx(value * kOne).epsilon(0.005); };
  const auto stream = [](int i) { return std::pair{i * 256LL, false}; };
  const Bytes other_bank = 1_GiB + 64_KiB;
  CHECK(share(1 << 20, 256_B, stream) == percent(90.3));
  CHECK(share(1 << 16, 4_KiB, reads_anywhere(4_KiB)) == percent(41.8));
  CHECK(share(1 << 18, 256_B, reads_anywhere(256_B)) == percent(7.4));
  CHECK(share(1 << 16, 4_KiB, copy(4_KiB, other_bank)) == percent(55.0));
  CHECK(share(1 << 18, 256_B, copy(256_B, other_bank)) == percent(7.8));
  CHECK(share(1 << 16, 4_KiB, copy(4_KiB, 1_GiB)) == percent(27.6));
  CHECK(share(1 << 16, 256_B, [](int i) { return std::pair{i * 131'072LL, false}; }) == percent(1.9));
}

}  // namespace kbsim::hw::test::hbm_patterns_test
