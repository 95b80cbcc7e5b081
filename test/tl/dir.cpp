#include "kbsim/tl/dir.hpp"

#include <string>
#include <type_traits>

#include <doctest/doctest.h>

#include "fake_pe.hpp"

namespace kbsim::test::dir_test {

// A text becomes a direction by name, never by itself; a literal does.
static_assert(!std::is_convertible_v<std::string, Dir> && std::is_constructible_v<Dir, std::string>);
static_assert(Dir{"E"} == Dir::E && Dir{} == Dir::any);
static_assert(std::is_trivially_destructible_v<Dir>);

namespace {

Dir numbered(int n) { return Dir{"a_direction_with_a_long_name_" + std::to_string(n)}; }

}  // namespace

TEST_CASE("Dir: of a temporary text it keeps the name") {
  const Dir first = numbered(1);
  const Dir second = numbered(2);
  CHECK(first.name() == "a_direction_with_a_long_name_1");
  CHECK(second.name() == "a_direction_with_a_long_name_2");
  CHECK(first == numbered(1));
  CHECK(first != second);
  CHECK(Dir{std::string{"E"}} == Dir::E);
}

TEST_CASE("Dir: what waits for a direction of a temporary text says its name") {
  CHECK(SendWait{numbered(3)}.text() == "send a_direction_with_a_long_name_3");
  CHECK(RecvWait{numbered(4)}.text() == "recv a_direction_with_a_long_name_4");
}

TEST_CASE("Range: of a temporary text it keeps the name") {
  Kernel k;
  { const auto range = k.tl.range(LastingName{"a_range_with_a_long_name_" + std::to_string(5)}); }
  REQUIRE(k.pe.ranges.size() == 1);
  CHECK(k.pe.ranges[0].name == "a_range_with_a_long_name_5");
}

}  // namespace kbsim::test::dir_test
