#include "kbsim/sweep/axis.hpp"

#include <doctest/doctest.h>

namespace kbsim::sweep::test::axis_test {

using Texts = std::vector<std::string>;

TEST_CASE("values_in: lists and ranges, both ends included") {
  CHECK(values_in("128,256, 512") == Texts{"128", "256", "512"});
  CHECK(values_in("2..5") == Texts{"2", "3", "4", "5"});
  CHECK(values_in("1..9+2") == Texts{"1", "3", "5", "7", "9"});
  CHECK(values_in("1..10+4") == Texts{"1", "5", "9"});
  CHECK(values_in("2..16*2") == Texts{"2", "4", "8", "16"});
  CHECK(values_in("0.1..0.5+0.1") == Texts{"0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK(values_in("1..0.125e1*1.25") == Texts{"1", "1.25"});
  CHECK(values_in("1K..4M*4") == Texts{"1024", "4096", "16384", "65536", "262144", "1048576", "4194304"});
  CHECK(values_in("1,8..10,[a, b]") == Texts{"1", "8", "9", "10", "[a, b]"});
  CHECK(values_in("-2..2+2") == Texts{"-2", "0", "2"});
}

TEST_CASE("values_in: N values drawn by seed are those of the range, in its order") {
  const Texts some = values_in("1..1000 random 20 seed 3");
  REQUIRE(some.size() == 20);
  CHECK(std::ranges::is_sorted(some, std::less<>{}, [](const std::string& text) { return std::stoi(text); }));
  CHECK(some == values_in("1..1000 random 20 seed 3"));
  CHECK(some != values_in("1..1000 random 20 seed 4"));
  CHECK(values_in("1..20 random 20 seed 7") == values_in("1..20"));
}

TEST_CASE("values_in: a text that is no list and no range is reported") {
  for (const char* text :
       {"1..", "..5", "5..1", "1..9+0", "1..9*1", "0..9*2", "0.5..2", "1..x", "1,,2", "1,1", "1..3000000",
        "1..9 random 10 seed 1", "1..9 random 2", "1..9 random 0 seed 1"}) {
    CAPTURE(text);
    const bool plain = std::string_view{text} == "..5";  // a text that isn't a range
    if (plain)
      CHECK(values_in(text) == Texts{text});
    else
      CHECK_THROWS_AS((void)values_in(text), UsageError);
  }
}

TEST_CASE("names_several: a list outside of brackets, or a range") {
  CHECK(names_several("1,2"));
  CHECK(names_several("1..4"));
  CHECK_FALSE(names_several("[1, 2]"));
  CHECK_FALSE(names_several("../topology.yaml"));
}

}  // namespace kbsim::sweep::test::axis_test
