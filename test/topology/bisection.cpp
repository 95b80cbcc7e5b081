#include "kbsim/topology/bisection.hpp"

#include <doctest/doctest.h>

#include "kbsim/topology/sip_grid.hpp"

#include "random_machine.hpp"

using namespace kbsim;
using namespace kbsim::topology;
using kbsim::test::any_machine;
using kbsim::test::compiled;

namespace {

// A straight cut severs one link per row or column of a mesh, two of a torus (`seams`).
std::optional<double> closed_form(int w, int h, Bandwidth link, int seams) {
  std::optional<double> least;
  if (w > 1) least = seams * h * link.gbs();
  if (h > 1) least = std::min(least.value_or(1e9), seams * w * link.gbs());
  return least;
}

}  // namespace

TEST_CASE("Bisections: the default machine has 4 NOC links, 4 UCIe links and both links of its ring") {
  const Bisections found = bisections(compiled({}));
  CHECK(found.noc == 4 * 256.0);
  CHECK(found.package == 4 * 256.0);
  CHECK(found.system == 2 * 128.0);
}

TEST_CASE("Bisections: one cell has none") {
  config::MachineSpec spec;
  spec.system.sips.count = 1;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.cube.noc.w = 1;
  spec.cube.noc.h = 1;
  const Bisections found = bisections(compiled(spec));
  CHECK_FALSE(found.noc);
  CHECK_FALSE(found.package);
  CHECK_FALSE(found.system);
}

TEST_CASE("Bisections: packages that a switch joins have none") {
  config::MachineSpec spec;
  spec.system.sips.count = 2;
  spec.system.sips.topology = config::SipTopology::links;
  const config::ChipLinkSpec& link = spec.system.sips.link;
  spec.system.sips.links = {{link, "sip0", "sw"}, {link, "sip1", "sw"}};
  CHECK_FALSE(bisections(compiled(spec)).system);
  spec.system.sips.links.push_back({link, "sip0", "sip1"});
  CHECK_FALSE(bisections(compiled(spec)).system);
  spec.system.sips.links = {{link, "sip0", "sip1"}};
  CHECK(bisections(compiled(spec)).system == link.bandwidth.gbs());
}

TEST_CASE("Bisections: every machine has those of its meshes, rings and tori") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const config::MachineSpec spec = any_machine(seed);
    const SipGrid sips{spec.system.sips};
    const int seams = spec.system.sips.topology == config::SipTopology::mesh_2d_no_wrap ? 1 : 2;
    const Bisections found = bisections(compiled(spec));
    CHECK(found.noc == closed_form(spec.cube.noc.w, spec.cube.noc.h, spec.cube.noc.link, 1));
    CHECK(found.package ==
          closed_form(spec.sip.cube_mesh.w, spec.sip.cube_mesh.h, spec.sip.ucie_link.bandwidth, 1));
    CHECK(found.system == closed_form(sips.width(), sips.height(), spec.system.sips.link.bandwidth, seams));
  }
}
