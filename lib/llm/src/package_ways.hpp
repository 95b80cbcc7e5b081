#pragma once

#include <string_view>

#include "kbsim/base/field.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/llm/package_site.hpp"

namespace kbsim::inference {

/// A number among a component's attributes, given or by default; `otherwise` if its model has none of that
/// name.
[[nodiscard]] double attribute(const ComponentSpec& component, std::string_view name, double otherwise = 1.0);

/// Adds the ways between the PEs of the site's grid, and those to the own memories.
void add_ways(PackageSite& site, const config::MachineSpec& machine);

}  // namespace kbsim::inference
