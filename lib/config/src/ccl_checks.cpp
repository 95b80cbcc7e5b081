#include <string>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/names.hpp"

#include "checks.hpp"

namespace kbsim::config {
namespace {

std::vector<std::string> with_kernels(const CclSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : spec.algorithms) {
    if (!algorithm.kernel.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace

void check(const CclSpec& spec, Checker checker) {
  const std::vector<std::string> whole = with_kernels(spec);
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : spec.algorithms) {
    names.push_back(name);
    checker.require(
        !algorithm.kernel.empty(), {"algorithms." + printable(name) + ".kernel"},
        fmt::format("found nothing, expected the name of a kernel: '{}' is an algorithm without one{}",
                    printable(name), near_hint(printable(name), whole)));  // a setting may have misspelt one
    checker.require(!algorithm.carries_over || algorithm.topology != "none",
                    {"algorithms." + printable(name) + ".carries_over"},
                    "found true, expected false: with topology none there are no queues");
  }
  if (names.empty()) {
    checker.require(
        false, {"algorithms"},
        "found no algorithm, expected at least one, as NAME: {kernel: KERNEL}; kbsim list has kernels");
    return;
  }
  const std::string& wanted = spec.defaults.algorithm;
  const bool was_given = checker.was_given("defaults.algorithm");
  checker.require(spec.algorithms.contains(wanted), {"defaults.algorithm", "algorithms"},
                  was_given ? fmt::format("unknown algorithm '{}'{}", printable(wanted),
                                          name_hint(printable(wanted), names))
                            : fmt::format("found nothing, expected the algorithm of a run that names none, "
                                          "as algorithm: {} under defaults: ('{}' isn't in the file)",
                                          printable(names.front()), wanted));
}

}  // namespace kbsim::config
