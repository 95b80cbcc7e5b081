#include "kbsim/base/self_profile.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include <doctest/doctest.h>

using namespace kbsim;

namespace kbsim::base::test::self_profile_test {
namespace {

void work_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {}
}

double share_of(const self_profile::Shares& shares, const std::string& work) {
  const auto row = std::ranges::find(shares.rows, work, &self_profile::Row::work);
  return row == shares.rows.end() ? 0.0 : row->share;
}

}  // namespace

TEST_CASE("Self profile: a kind of work has one number for each name") {
  CHECK(WorkKind{"baking"} == WorkKind{"baking"});
  CHECK_FALSE(WorkKind{"baking"} == WorkKind{"brewing"});
  CHECK_FALSE(WorkKind{"baking"} == WorkKind{});
}

TEST_CASE("Self profile: without a profile a scope leaves no trace") {
  if (self_profile::is_on()) return;  // started by another test
  const WorkScope scope{WorkKind{"baking"}};
  CHECK(self_profile::scope == 0);
}

TEST_CASE("Self profile: time goes to the innermost scope, and shares sum to the whole") {
  self_profile::start();
  self_profile::start();  // again: nothing
  const WorkKind outer{"outer work"};
  const WorkKind inner{"inner work"};
  {
    const WorkScope scope{outer};
    work_for(std::chrono::milliseconds{30});
    {
      const WorkScope within{inner};
      work_for(std::chrono::milliseconds{90});
    }
    CHECK(self_profile::scope == outer.number());
  }
  CHECK(self_profile::scope == 0);
  const self_profile::Shares shares = self_profile::shares();
  CHECK(shares.samples > 10);
  CHECK(shares.seconds > 0.12);
  CHECK(share_of(shares, "inner work") > share_of(shares, "outer work"));
  CHECK(share_of(shares, "outer work") > 0.0);
  const double all = std::accumulate(shares.rows.begin(), shares.rows.end(), 0.0,
                                     [](double sum, const auto& row) { return sum + row.share; });
  CHECK(all == doctest::Approx(1.0));
  for (const self_profile::Row& row : shares.rows) {
    CHECK(row.error > 0.0);
    CHECK(row.error < 0.5);
  }
  CHECK(shares.cost > 0.0);
  CHECK(shares.cost < 0.5);
}

TEST_CASE("Self profile: without a scope time goes to what runs, else to the phase") {
  self_profile::start();
  const WorkKind kneading{"kneading"};
  const WorkKind resting{"resting"};
  const std::uint8_t number = kneading.number();
  {
    const RunningWork runs{
        {.read = [](const void* of) { return *static_cast<const std::uint8_t*>(of); }, .of = &number}};
    work_for(std::chrono::milliseconds{40});
  }
  self_profile::phase(resting);
  work_for(std::chrono::milliseconds{40});
  self_profile::phase(WorkKind{});
  const self_profile::Shares shares = self_profile::shares();
  CHECK(share_of(shares, "kneading") > 0.0);
  CHECK(share_of(shares, "resting") > 0.0);
}

// Each reader counts the samples that give it another's data.
TEST_CASE("Self profile: a sample never finds a reader with what another one reads") {
  static constexpr std::uint8_t kOne = 1;
  static constexpr std::uint8_t kTwo = 2;
  static std::atomic<int> mixed = 0;
  const auto read_one = [](const void* of) -> std::uint8_t { return mixed += of != &kOne, 0; };
  const auto read_two = [](const void* of) -> std::uint8_t { return mixed += of != &kTwo, 0; };
  self_profile::start();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{300};
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 1000; ++i) {
      const RunningWork one{{.read = read_one, .of = &kOne}};
      const RunningWork two{{.read = read_two, .of = &kTwo}};
    }
  }
  CHECK(mixed == 0);
}

}  // namespace kbsim::base::test::self_profile_test
