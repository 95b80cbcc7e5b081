#include "kbsim/config/ccl_spec.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim::config {
namespace {

std::vector<std::string> names_of(const CclSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [name, algorithm] : spec.algorithms) names.push_back(name);
  return names;
}

}  // namespace

void CclSpec::describe(FieldList<CclSpec>& f) {
  const auto from_defaults = [](const CclSpec& spec, const std::string& name) {
    AlgorithmSpec algorithm;
    static_cast<CclSettings&>(algorithm) = static_cast<const CclSettings&>(spec.defaults);
    algorithm.name = name;
    return algorithm;
  };
  f.section("defaults", &CclSpec::defaults, "what holds for every algorithm that doesn't say otherwise");
  f.map("algorithms", &CclSpec::algorithms, from_defaults,
        "the algorithms by name; the keys they leave out are those of defaults");
}

const AlgorithmSpec& CclSpec::resolve(std::string_view name) const {
  const std::string wanted{name.empty() ? defaults.algorithm : name};
  if (const auto it = algorithms.find(wanted); it != algorithms.end()) return it->second;
  throw UsageError{fmt::format("unknown algorithm '{}'{}", wanted, name_hint(wanted, names_of(*this)))};
}

const AlgorithmSpec& CclSpec::usual(std::string_view name, std::string_view bench) const {
  if (const auto it = algorithms.find(std::string{name}); it != algorithms.end()) return it->second;
  throw UsageError{fmt::format("--bench {} runs algorithm '{}', which the ccl file hasn't: it has {}", bench,
                               name, fmt::join(names_of(*this), ", "))};
}

}  // namespace kbsim::config
