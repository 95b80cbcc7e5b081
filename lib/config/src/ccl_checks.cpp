#include <string>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/names.hpp"

#include "checks.hpp"

namespace kbsim::config {

void check(const CclSpec& spec, const Reader& reader, Problems& problems) {
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : spec.algorithms) {
    names.push_back(name);
    const std::string key = "algorithms." + name + ".kernel";
    if (algorithm.kernel.empty())
      problems.push_back({reader.place(key), key, "found nothing, expected the name of a kernel"});
  }
  const std::string& wanted = spec.defaults.algorithm;
  if (!spec.algorithms.contains(wanted)) {
    problems.push_back({reader.place("defaults.algorithm"), "defaults.algorithm",
                        fmt::format("unknown algorithm '{}'{}", wanted, name_hint(wanted, names))});
  }
}

}  // namespace kbsim::config
