// Registers this room's answers to the sockets of fabric, pe and traffic.
#include <memory>

#include "open_traffic/time_steps.hpp"
#include "trains/shortcut.hpp"

namespace kbsim::hw {
namespace {

std::unique_ptr<IShortcut> make_shortcut(Fabric& fabric) { return std::make_unique<Shortcut>(fabric); }

std::unique_ptr<IOpenTraffic> make_open_traffic(Machine& machine, const topology::TrafficNetwork& network,
                                                const IOpenTraffic::Sizes& sizes, Time service) {
  if (!TimeSteps::fits(machine, network, service)) return nullptr;
  return std::make_unique<TimeSteps>(machine, network, sizes, service);
}

[[maybe_unused]] const bool kReserves = register_shortcut(make_shortcut);
[[maybe_unused]] const bool kSteps = register_open_traffic(make_open_traffic);

}  // namespace
}  // namespace kbsim::hw
