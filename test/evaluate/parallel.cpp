#include "kbsim/evaluate/parallel.hpp"

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

namespace kbsim::evaluate::test::parallel_test {
namespace {

constexpr Parallel kQuiet{.threads = 3, .progress = false};
constexpr Parallel kOneThread{.threads = 1, .progress = false};

}  // namespace

TEST_CASE("in_parallel: runs every job once, and says that all have ended") {
  std::vector<std::atomic<int>> runs(50);
  const std::vector<bool> ended = in_parallel(runs.size(), "jobs", kQuiet, [&](std::size_t i) { ++runs[i]; });
  CHECK(ended == std::vector<bool>(50, true));
  for (const std::atomic<int>& each : runs) CHECK(each == 1);
  CHECK(in_parallel(0, "jobs", kQuiet, [](std::size_t) {}).empty());
}

TEST_CASE("in_parallel: of several errors the first job's is thrown, when all others have ended") {
  std::atomic<int> others = 0;
  const auto job = [&](std::size_t i) {
    if (i == 4 || i == 7) throw std::runtime_error{"job " + std::to_string(i)};
    ++others;
  };
  CHECK_THROWS_WITH_AS((void)in_parallel(10, "jobs", kQuiet, job), "job 4", std::runtime_error);
  CHECK(others == 8);
}

TEST_CASE("in_parallel: after Ctrl-C what runs is brought to its end, and nothing more is begun") {
  const std::vector<bool> ended = in_parallel(5, "jobs", kOneThread, [](std::size_t i) {
    if (i == 2) (void)std::raise(SIGINT);
  });
  CHECK(ended == std::vector<bool>{true, true, true, false, false});
  CHECK(only_ended(std::vector<int>{10, 11, 12, 13, 14}, ended) == std::vector<int>{10, 11, 12});
  CHECK(in_parallel(2, "jobs", kOneThread, [](std::size_t) {}) == std::vector<bool>{true, true});
}

}  // namespace kbsim::evaluate::test::parallel_test
