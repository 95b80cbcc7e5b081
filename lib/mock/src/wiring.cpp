#include "kbsim/mock/wiring.hpp"

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/ccl/ranks.hpp"

namespace kbsim::mock {

ccl::Wiring ring(int pes) {
  ccl::Wiring wiring;
  for (int pe = 0; pes > 1 && pe < pes; ++pe) {
    wiring[{0, 0, pe}] = {{.direction = "E", .peer = {0, 0, (pe + 1) % pes}},
                          {.direction = "W", .peer = {0, 0, (pe + pes - 1) % pes}}};
  }
  return wiring;
}

ccl::Wiring mesh(int w, int h) {
  ccl::Wiring wiring;
  for (int pe = 0; pe < w * h; ++pe) {
    std::vector<ccl::Neighbour>& to = wiring[{0, 0, pe}];
    const int x = pe % w;
    if (x + 1 < w) to.push_back({.direction = "E", .peer = {0, 0, pe + 1}});
    if (x > 0) to.push_back({.direction = "W", .peer = {0, 0, pe - 1}});
    if (pe - w >= 0) to.push_back({.direction = "N", .peer = {0, 0, pe - w}});
    if (pe + w < w * h) to.push_back({.direction = "S", .peer = {0, 0, pe + w}});
  }
  return wiring;
}

WorldSpec like(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm) {
  return {.sips = machine.system.sips.count,
          .cubes = machine.cubes_per_sip(),
          .pes = machine.pes_per_cube(),
          .wiring = ccl::wiring_of(algorithm, machine),
          .queues = ccl::queue_settings(algorithm),
          .fetched = algorithm.buffer_kind != config::BufferKind::tcm};
}

}  // namespace kbsim::mock
