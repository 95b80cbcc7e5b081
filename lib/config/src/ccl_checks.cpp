#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/names.hpp"

#include "config_checks.hpp"

namespace kbsim::config {
namespace {

std::vector<std::string> with_kernels(const CclSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : spec.algorithms) {
    if (!algorithm.kernel.empty()) names.push_back(name);
  }
  return names;
}

// The setting may be a misspelt name of an algorithm with a kernel.
void require_kernel(const CclSpec& spec, const std::string& name, Checker& checker) {
  if (!spec.algorithms.at(name).kernel.empty()) return;
  checker.require(
      false, {"algorithms." + printable(name) + ".kernel"},
      fmt::format("found nothing, expected the name of a kernel: '{}' is an algorithm without one{}",
                  printable(name), near_hint(printable(name), with_kernels(spec))));
}

// The ranks and the links of a limit.
void require_limit(const std::string& key, const ChosenSpec& chosen, Checker& checker) {
  checker.require(
      rank_range(chosen.ranks).has_value(), {key + ".ranks"},
      fmt::format("found '{}', expected a number of ranks or a range, as 8 or 2-8", printable(chosen.ranks)));
  std::vector<std::string> links{kSipTopologies.begin(), kSipTopologies.end()};
  links.emplace_back(ChosenSpec::kLine);
  const bool known = chosen.links.empty() || std::ranges::find(links, chosen.links) != links.end();
  checker.require(known, {key + ".links"},
                  fmt::format("no packages are joined as '{}'{}", printable(chosen.links),
                              name_hint(printable(chosen.links), links)));
  checker.require(chosen.up_to > 0_B, {key + ".up_to", key},
                  "found no size, expected that of the largest call, as up_to: 64KiB");
}

}  // namespace

void check(const CclSpec& spec, Checker checker) {
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : spec.algorithms) {
    names.push_back(name);
    require_kernel(spec, name, checker);
    checker.require(!algorithm.carries_over || algorithm.topology != "none",
                    {"algorithms." + printable(name) + ".carries_over"},
                    "found true, expected false: with topology none there are no queues");
    for (std::size_t i = 0; i < algorithm.chosen.size(); ++i)
      require_limit(fmt::format("algorithms.{}.chosen.{}", printable(name), i), algorithm.chosen[i], checker);
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
