#include "kbsim/mock/mock_wiring.hpp"

#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/ccl/ranks.hpp"

namespace kbsim::mock {

namespace {

void require_ring(int pes) {
  if (pes < 1) throw UsageError{fmt::format("a ring of {}: expected 1 at least", counted(pes, "PE"))};
}

void require_mesh(int w, int h) {
  if (w < 1 || h < 1) throw UsageError{fmt::format("a mesh of {} x {}: expected 1 of each at least", w, h)};
  if (std::int64_t{w} * h > std::numeric_limits<int>::max())
    throw UsageError{fmt::format("a mesh of {} x {}: more PEs than can be counted", w, h)};
}

}  // namespace

ccl::Wiring ring(int pes, std::source_location at) {
  at_line(at, [&] { require_ring(pes); });
  ccl::Wiring wiring;
  for (int pe = 0; pes > 1 && pe < pes; ++pe) {
    wiring[{0, 0, pe}] = {{.direction = "E", .peer = {0, 0, (pe + 1) % pes}},
                          {.direction = "W", .peer = {0, 0, (pe + pes - 1) % pes}}};
  }
  return wiring;
}

ccl::Wiring mesh(int w, int h, std::source_location at) {
  at_line(at, [&] { require_mesh(w, h); });
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

WorldSpec like(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
               std::source_location at) {
  return {.sips = machine.system.sips.count,
          .cubes = machine.cubes_per_sip(),
          .pes = machine.pes_per_cube(),
          .wiring = at_line(at, [&] { return ccl::wiring_of(algorithm, machine); }),
          .queues = ccl::queue_settings(algorithm),
          .fetched = algorithm.buffer_kind != config::BufferKind::tcm};
}

}  // namespace kbsim::mock
