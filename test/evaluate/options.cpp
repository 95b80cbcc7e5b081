// Options of an evaluation: their ranges and choices.
#include "kbsim/evaluate/options.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::evaluate::test::options_test {

TEST_CASE("Options: a number is refused outside of its range, by name and range") {
  Options own;
  own.set("ranks", OptionValue{std::int64_t{4}}, true);
  CHECK(own.number("ranks", 1, 4) == 4);
  CHECK(own.number("ranks", 4, 8) == 4);
  CHECK_THROWS_WITH_AS((void)own.number("ranks", 5, 8), "--ranks must be 5 to 8, got 4", UsageError);
  CHECK_THROWS_WITH_AS((void)own.number("ranks", 0, 3), "--ranks must be 0 to 3, got 4", UsageError);
}

TEST_CASE("Options: a choice is one of its names, else all of them are told") {
  Options own;
  own.set("phase", OptionValue{std::string{"decode"}}, true);
  CHECK(own.choice("phase", {"prefill", "decode", "all"}) == 1);
  CHECK_THROWS_WITH_AS((void)own.choice("phase", {"first", "second", "all"}),
                       "--phase decode: expected first, second or all", UsageError);
}

}  // namespace kbsim::evaluate::test::options_test
