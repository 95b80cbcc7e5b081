#pragma once

#include <string>

#include "kbsim/config/catalog.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::config {

/// The configuration with every key and its effective value, the models' attributes included. Reads back
/// to the same Spec.
[[nodiscard]] std::string resolved_yaml(const MachineSpec& spec, const ComponentCatalog& catalog);
[[nodiscard]] std::string resolved_yaml(const CclSpec& spec);

/// The page of all keys of both files and of the models' attributes: type, unit, range, default, meaning.
[[nodiscard]] std::string reference_markdown(const ComponentCatalog& catalog);

}  // namespace kbsim::config
