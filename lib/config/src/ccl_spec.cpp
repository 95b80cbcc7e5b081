#include "kbsim/config/ccl_spec.hpp"

#include <charconv>
#include <system_error>
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

// Only digits: a number from 1 on.
std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  const bool right = error == std::errc{} && last == end && number > 0;
  return right ? std::optional{number} : std::nullopt;
}

}  // namespace

std::optional<RankRange> rank_range(std::string_view text) {
  if (text.empty()) return RankRange{};
  const std::size_t dash = text.find('-');
  const std::optional<int> least = number_of(text.substr(0, dash));
  const std::optional<int> most = dash == std::string_view::npos ? least : number_of(text.substr(dash + 1));
  if (!least || !most || *least > *most) return std::nullopt;
  return RankRange{*least, *most};
}

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
