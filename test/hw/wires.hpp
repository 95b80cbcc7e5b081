#pragma once

#include "kbsim/config/machine_spec.hpp"

namespace kbsim::hw::test {

/// Calls `visit` with each kind of wire that has a bandwidth and a length.
template <class Visit>
void for_each_wire(config::MachineSpec& spec, Visit visit) {
  visit(spec.system.host_link);
  visit(spec.system.sips.link);
  visit(spec.sip.ucie_link);
  visit(spec.sip.io.link);
}

}  // namespace kbsim::hw::test
