#include "kbsim/base/built_without.hpp"

#include <fmt/format.h>

namespace kbsim {

Unsupported built_without(std::string_view feature, std::string_view packages) {
  return Unsupported{fmt::format(
      "{} need {}, which this kbsim was built without: run scripts/install-dependencies.sh features, "
      "then scripts/build.sh release kbsim",
      feature, packages)};
}

}  // namespace kbsim
