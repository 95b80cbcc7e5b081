// The wirings of operations on all PEs of a package that add up over packages: those of package_exchange and
// package_splits, and a queue between the same PEs of all packages.
#include <string>

#include "kbsim/ccl/wiring.hpp"

namespace kbsim::ccl {
namespace {

Wiring with_packages(Wiring wiring, int packages) {
  for (auto& [at, to] : wiring) {
    for (int sip = 0; sip < packages; ++sip) {
      const PeCoord peer{sip, at.cube, at.pe};
      if (sip != at.sip && wiring.contains(peer))
        to.push_back({.direction = "sip" + std::to_string(sip), .peer = peer});
    }
  }
  return wiring;
}

Wiring package_exchange_sums(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return with_packages(topologies().at("package_exchange").wire(machine, participants),
                       machine.system.sips.count);
}
KBSIM_TOPOLOGY(package_exchange_sums,
               "package_exchange, and each PE with the same PE of all other packages (sip0, ...)");

Wiring package_splits_sums(const config::MachineSpec& machine, const std::vector<PeCoord>& participants) {
  return with_packages(topologies().at("package_splits").wire(machine, participants),
                       machine.system.sips.count);
}
KBSIM_TOPOLOGY(package_splits_sums,
               "package_splits, and each PE with the same PE of all other packages (sip0, ...)");

}  // namespace
}  // namespace kbsim::ccl
