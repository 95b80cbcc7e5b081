// Settings from environment variables.
#include "kbsim/base/environment.hpp"

#include <cstdlib>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

TEST_CASE("environment_choice: one of what is expected, or nothing; else a refusal by name and value") {
  constexpr const char* kName = "KBSIM_TEST_OF_A_CHOICE";
  const auto chosen = [&](const char* value) {
    REQUIRE(setenv(kName, value, 1) == 0);
    return environment_choice(kName, {"0", "1"});
  };
  CHECK(chosen("1") == "1");
  CHECK(chosen("0") == "0");
  CHECK(chosen("").empty());
  CHECK_THROWS_WITH_AS((void)chosen("yes"), "KBSIM_TEST_OF_A_CHOICE=yes in the environment: expected 0 or 1",
                       UsageError);
  REQUIRE(unsetenv(kName) == 0);
  CHECK(environment_choice(kName, {"INFO"}).empty());
}

}  // namespace kbsim
