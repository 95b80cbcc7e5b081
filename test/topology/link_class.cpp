#include "kbsim/topology/link_class.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "kbsim/topology/sip_grid.hpp"

#include "random_machine.hpp"

using namespace kbsim;
using namespace kbsim::topology;
using kbsim::test::any_machine;
using kbsim::test::compiled;

namespace {

int mesh_links(int w, int h) { return w * (h - 1) + h * (w - 1); }

// The links between packages: a side that has a neighbour is a port, and a link joins two.
int package_links(const config::MachineSpec& spec) {
  const SipGrid grid{spec.system.sips};
  int ports = 0;
  for (int sip = 0; sip < spec.system.sips.count; ++sip) {
    ports += static_cast<int>(
        std::ranges::count_if(kSides, [&](Side s) { return grid.neighbour(sip, s).has_value(); }));
  }
  return ports / 2;
}

std::map<LinkClass, int> counted(const Graph& graph) {
  std::map<LinkClass, int> counts;
  for (const LinkGroup& group : link_groups(graph)) counts[group.link_class] += group.count;
  return counts;
}

}  // namespace

TEST_CASE("link_groups: each class has as many links as its structure says, two directions each") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const config::MachineSpec spec = any_machine(seed);
    const auto [w, h] = spec.sip.cube_mesh;
    const int sips = spec.system.sips.count;
    const int cubes = sips * spec.cubes_per_sip();
    const int pes = cubes * spec.pes_per_cube();
    std::map<LinkClass, int> counts = counted(compiled(spec));
    CHECK(counts[LinkClass::host] == 2 * (1 + sips));
    CHECK(counts[LinkClass::package] == 2 * package_links(spec));
    CHECK(counts[LinkClass::io] == 2 * (sips * (2 + w + w - 1) + 2 * package_links(spec)));
    CHECK(counts[LinkClass::ucie] == 2 * sips * (mesh_links(w, h) + w));
    CHECK(counts[LinkClass::noc] == 2 * cubes * (mesh_links(spec.cube.noc.w, spec.cube.noc.h) + 4 + 2));
    CHECK(counts[LinkClass::pe_port] == 2 * pes * 3);
    CHECK(counts[LinkClass::pe_internal] == 2 * pes * 3);
    CHECK(counts[LinkClass::xbar_to_hbm] == 2 * pes);
  }
}

TEST_CASE("link_groups: every link is in one group, which knows its bandwidth and wire delay") {
  const Graph graph = compiled({});
  const std::vector<LinkGroup> groups = link_groups(graph);
  int links = 0;
  for (const LinkGroup& group : groups) {
    links += group.count;
    CHECK(group.shortest <= group.longest);
    CHECK(group.total_gbs() == group.count * group.bandwidth.gbs());
  }
  CHECK(links == static_cast<int>(graph.links().size()));
  const auto package = std::ranges::find(groups, LinkClass::package, &LinkGroup::link_class);
  REQUIRE(package != groups.end());
  CHECK(package->bandwidth == Bandwidth::gbs(128.0));
  CHECK(package->shortest == 1_ns);
}

TEST_CASE("LinkClass: names are distinct") {
  std::set<std::string_view> names;
  for (int i = 0; i < static_cast<int>(kLinkClasses); ++i) {
    names.insert(to_string(static_cast<LinkClass>(i)));
  }
  CHECK(names.size() == kLinkClasses);
}

// Two channels with three ports in all; no crossbar.
TEST_CASE("link_groups: a port of a memory channel that PEs share has a class of its own") {
  config::MachineSpec spec;
  spec.system.sips.count = 1;
  spec.sip.cube_mesh = {.w = 1, .h = 1};
  spec.cube.floorplan.pe.at = {{.x = 1, .y = 1}, {.x = 2, .y = 1}};
  spec.cube.floorplan.hbm.channels = {{.at = {{.x = 0, .y = 0}, {.x = 3, .y = 0}}},
                                      {.at = {{.x = 0, .y = 3}}}};
  std::map<LinkClass, int> counts = counted(compiled(spec));
  CHECK(counts[LinkClass::noc_to_hbm] == 2 * 3);
  CHECK(counts[LinkClass::xbar_to_hbm] == 0);
  CHECK(counts[LinkClass::noc_to_xbar] == 0);
  CHECK(counts[LinkClass::pe_port] == 2 * 2 * 2);
}

TEST_CASE("link_groups: a wire to a switch joins packages; the host's switch is another one") {
  config::MachineSpec spec;
  spec.system.sips.count = 3;
  spec.system.sips.topology = config::SipTopology::links;
  for (const char* a : {"sip0", "sip1", "sip2"}) {
    config::ListedLinkSpec link{spec.system.sips.link, a, "sw"};
    spec.system.sips.links.push_back(link);
  }
  std::map<LinkClass, int> counts = counted(compiled(spec));
  CHECK(counts[LinkClass::package] == 2 * 3);
  CHECK(counts[LinkClass::host] == 2 * (1 + 3));
}
