#include "kbsim/base/counted.hpp"

#include <cstdint>

#include <doctest/doctest.h>

namespace kbsim::test {

TEST_CASE("counted: one of them has no s, and a plural of its own is given") {
  CHECK(counted(0, "rank") == "0 ranks");
  CHECK(counted(std::size_t{1}, "rank") == "1 rank");
  CHECK(counted(std::int64_t{2}, "rank") == "2 ranks");
  CHECK(counted(1, "process", "processes") == "1 process");
  CHECK(counted(3, "process", "processes") == "3 processes");
}

}  // namespace kbsim::test
