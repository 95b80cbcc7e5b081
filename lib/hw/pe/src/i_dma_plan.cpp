#include "kbsim/hw/pe/i_dma_plan.hpp"

namespace kbsim::hw {
namespace {

MakeDmaPlan& planner() {
  static MakeDmaPlan make = nullptr;
  return make;
}

}  // namespace

MakeDmaPlan dma_planner() { return planner(); }

bool register_dma_planner(MakeDmaPlan make) noexcept {
  planner() = make;
  return true;
}

}  // namespace kbsim::hw
