#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/config/catalog.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/config/noc_spec.hpp"

namespace kbsim::config {

/// The configuration with every key and its effective value, including the models' attributes. Reads back to
/// the same Spec. With both Specs: one topology file with a section `ccl`.
[[nodiscard]] std::string resolved_yaml(const MachineSpec& spec, const ComponentCatalog& catalog);
[[nodiscard]] std::string resolved_yaml(const CclSpec& spec);
[[nodiscard]] std::string resolved_yaml(const NocToriSpec& spec);
[[nodiscard]] std::string resolved_yaml(const MachineSpec& machine, const CclSpec& ccl,
                                        const ComponentCatalog& catalog);

/// The same keys and values as a text that is cheap to make, for comparison only: two configurations are
/// equal if and only if their texts are.
[[nodiscard]] std::string resolved_compactly(const MachineSpec& machine, const CclSpec& ccl,
                                             const ComponentCatalog& catalog);

/// A key whose effective value differs between two resolved configurations; "nothing" where one lacks it.
struct Difference {
  std::string key;
  std::string first;
  std::string second;
};
/// Output of resolved_yaml(), now or earlier, and the name of its file for errors.
struct ResolvedText {
  std::string yaml;
  std::string name;
};
/// All differing keys in alphabetical order. ConfigError: no YAML.
[[nodiscard]] std::vector<Difference> differences(const ResolvedText& first, const ResolvedText& second);
/// The first differing key; none if the configurations are equal. ConfigError: no YAML.
[[nodiscard]] std::optional<Difference> difference(const ResolvedText& first, const ResolvedText& second);

/// Every key of a resolved configuration with its value: "cube.noc.link_bw_gbs", "256".
[[nodiscard]] std::map<std::string, std::string> keys_of(const ResolvedText& text);

/// The page of all keys of both files and of the models' attributes: type, unit, range, default, meaning.
[[nodiscard]] std::string reference_markdown(const ComponentCatalog& catalog);

}  // namespace kbsim::config
