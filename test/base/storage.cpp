#include "kbsim/base/storage.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include "doctest/doctest.h"

namespace kbsim::test::storage_test {

TEST_CASE("Storage: what is in it stays where it is, and is visited oldest first") {
  for (const std::size_t count : {0U, 1U, 9U, 10U, 11U, 50U}) {  // ten of them are a block
    Storage<std::array<int, 100>> storage;
    std::vector<std::array<int, 100>*> places;
    for (std::size_t i = 0; i < count; ++i) {
      places.push_back(&storage.emplace_back());
      places.back()->front() = static_cast<int>(i);
    }
    std::vector<std::array<int, 100>*> visited;
    storage.for_each([&visited](auto& one) { visited.push_back(&one); });
    CHECK(visited == places);
    for (std::size_t i = 0; i < count; ++i) CHECK(places[i]->front() == static_cast<int>(i));
  }
}

}  // namespace kbsim::test::storage_test
