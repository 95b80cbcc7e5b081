#include "kbsim/base/role.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

TEST_CASE("in_role: a text has no escape sequences until colours are chosen, and each line its own") {
  CHECK(in_role(Role::bad, "FAIL") == "FAIL");
  use_colors(ColorMode::always);
  CHECK(in_role(Role::good, "OK") == "\033[32mOK\033[0m");
  CHECK(in_role(Role::warning, "\na\n\nb\n") == "\n\033[33ma\033[0m\n\n\033[33mb\033[0m\n");
  CHECK(in_role(Role::head, "") == "");
  CHECK(without_roles(in_role(Role::head, "a") + " b " + in_role(Role::bad, "c\nd")) == "a b c\nd");
  use_no_colors_on_stdout();
  CHECK(in_role(Role::good, "OK") == "OK");
  CHECK(in_role(Role::good, "OK", stderr) == "\033[32mOK\033[0m");
  use_colors(ColorMode::never);
  CHECK(in_role(Role::good, "OK", stderr) == "OK");
}

TEST_CASE("color_mode_of: auto, always or never") {
  CHECK(color_mode_of("auto") == ColorMode::automatic);
  CHECK(color_mode_of("always") == ColorMode::always);
  CHECK(color_mode_of("never") == ColorMode::never);
  CHECK_THROWS_WITH_AS((void)color_mode_of(""), "--color must be auto, always or never, got ''", UsageError);
}

}  // namespace kbsim
