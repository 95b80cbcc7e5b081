#include "kbsim/hw/traffic/i_open_traffic.hpp"

namespace kbsim::hw {
namespace {

MakeOpenTraffic& maker() {
  static MakeOpenTraffic make = nullptr;
  return make;
}

}  // namespace

MakeOpenTraffic open_traffic_maker() { return maker(); }

bool register_open_traffic(MakeOpenTraffic make) noexcept {
  maker() = make;
  return true;
}

}  // namespace kbsim::hw
