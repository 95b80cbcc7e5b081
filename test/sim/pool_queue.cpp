#include "kbsim/sim/pool_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "doctest/doctest.h"

namespace kbsim::test::pool_queue_test {
namespace {

bool equal(const PoolQueue<int>& queue, const std::deque<int>& expected) {
  return std::ranges::equal(queue, expected);
}

}  // namespace

TEST_CASE("PoolQueue: at random it holds what a deque holds") {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const auto below = [&random](std::size_t n) { return random() % n; };
    PoolQueue<int> queue;
    std::deque<int> expected;
    for (int i = 0; i < 4000; ++i) {
      const bool grows = i / 200 % 2 == 0;
      const std::size_t choice = below(grows ? 12 : 16);
      if (choice < 6 || expected.empty()) {
        queue.push_back(i);
        expected.push_back(i);
      } else if (choice < 8) {
        const auto place = static_cast<std::ptrdiff_t>(below(expected.size() + 1));
        queue.insert(queue.begin() + place, i);
        expected.insert(expected.begin() + place, i);
      } else if (choice == 8 && below(100) == 0) {
        queue.clear();
        expected.clear();
      } else if (choice == 9) {
        const auto odd = [divisor = 2 + static_cast<int>(below(30))](int n) { return n % divisor == 1; };
        queue.erase_if(odd);
        std::erase_if(expected, odd);
      } else if (choice == 10) {
        const std::size_t size = expected.size() + below(3);
        queue.grow_to(size);
        expected.resize(size);
      } else if (choice % 2 == 0) {
        queue.pop_front();
        expected.pop_front();
      } else {
        queue.pop_back();
        expected.pop_back();
      }
      REQUIRE(queue.size() == expected.size());
      REQUIRE(queue.empty() == expected.empty());
      REQUIRE(equal(queue, expected));
      if (expected.empty()) continue;
      REQUIRE(queue.front() == expected.front());
      REQUIRE(queue.back() == expected.back());
    }
  }
}

TEST_CASE("PoolQueue: an item is moved as the block grows, and goes when it is taken or with the queue") {
  const auto item = std::make_shared<int>(1);
  {
    PoolQueue<std::shared_ptr<int>> queue;
    for (int i = 0; i < 10; ++i) queue.push_back(std::shared_ptr<int>{item});
    CHECK(item.use_count() == 11);
    queue.pop_front();
    queue.pop_back();
    CHECK(item.use_count() == 9);
    PoolQueue<std::shared_ptr<int>> other{std::move(queue)};
    CHECK(other.size() == 8);
    CHECK(item.use_count() == 9);
    other.clear();
    CHECK(item.use_count() == 1);
    for (int i = 0; i < 3; ++i) other.push_back(std::shared_ptr<int>{item});
    other.erase_if([](const auto& one) { return one != nullptr; });
    CHECK(other.empty());
    CHECK(item.use_count() == 1);
    other.push_back(std::shared_ptr<int>{item});
  }
  CHECK(item.use_count() == 1);
}

}  // namespace kbsim::test::pool_queue_test
