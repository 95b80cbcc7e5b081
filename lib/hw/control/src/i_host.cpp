#include "kbsim/hw/control/i_host.hpp"

#include <fmt/format.h>

#include "kbsim/hw/machine.hpp"

namespace kbsim::hw {

IHost& host_of(Machine& machine) { return machine.at<IHost>(machine.graph().host()); }

std::string OrderWait::text() const {
  return fmt::format("the PEs' report on order {} of rank {}", number, rank);
}

}  // namespace kbsim::hw
