// The units of a PE, as other units get them from the machine.
#include <doctest/doctest.h>

#include "kbsim/hw/control/i_queue_state.hpp"
#include "kbsim/hw/pe/i_cpu.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::units_test {
namespace {

// One PE after the other, and the first once more.
template <class Interface>
void check_own(Rig& rig, NodeId topology::PeNodes::* unit) {
  for (const PeCoord pe : {PeCoord{0, 0, 0}, PeCoord{0, 0, 1}, PeCoord{0, 1, 1}, PeCoord{0, 0, 0}}) {
    const NodeId id = rig.pe(pe).*unit;
    CHECK(&rig.machine->at<Interface>(id) == dynamic_cast<const Interface*>(&rig.machine->component(id)));
  }
}

}  // namespace

TEST_CASE("Machine: each component has its own interfaces, wherever they lie in its model") {
  Rig rig{small_machine()};
  check_own<ICpu>(rig, &topology::PeNodes::cpu);
  check_own<IDma>(rig, &topology::PeNodes::dma);
  check_own<IGemm>(rig, &topology::PeNodes::gemm);
  check_own<IMath>(rig, &topology::PeNodes::math);
  check_own<IEngine>(rig, &topology::PeNodes::gemm);
  check_own<IEngine>(rig, &topology::PeNodes::math);
  check_own<ITcm>(rig, &topology::PeNodes::tcm);
  check_own<IIpcq>(rig, &topology::PeNodes::ipcq);
  check_own<IQueueView>(rig, &topology::PeNodes::ipcq);
  check_own<IQueueState>(rig, &topology::PeNodes::ipcq);
  CHECK_THROWS_AS((void)rig.machine->at<IGemm>(rig.pe({0, 0, 0}).math), ConfigError);
}

}  // namespace kbsim::hw::test::units_test
