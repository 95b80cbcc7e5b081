#pragma once

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

#include "reader.hpp"

namespace kbsim::config {

/// What no single key can tell: keys that must fit one another. The reader knows their places.
void check(const MachineSpec& spec, const Reader& reader, Problems& problems);
void check(const CclSpec& spec, const Reader& reader, Problems& problems);

}  // namespace kbsim::config
