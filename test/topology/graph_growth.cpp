#include <doctest/doctest.h>

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

TEST_CASE("Graph: each package of a ring adds the same nodes and links") {
  const auto sizes = [](int sips) {
    config::MachineSpec spec;
    spec.system.sips.count = sips;
    const Graph graph = graph_of(spec);
    return std::pair{graph.nodes().size(), graph.links().size()};
  };
  const auto two = sizes(2);
  for (const std::size_t sips : {3, 4, 8, 16}) {
    const auto nodes_of_one = (two.first - 2) / 2;   // less host and switch
    const auto links_of_one = (two.second - 2) / 2;  // less the link between them
    CHECK(sizes(static_cast<int>(sips)) == std::pair{2 + sips * nodes_of_one, 2 + sips * links_of_one});
  }
}

TEST_CASE("Graph: a package's own nodes have the same ids whatever the number of packages") {
  config::MachineSpec spec;
  spec.system.sips = {.count = 4, .topology = config::SipTopology::torus_2d};
  const Graph small = graph_of(spec);
  spec.system.sips.count = 8;
  const Graph large = graph_of(spec);
  const PeCoord last{.sip = 3, .cube = 15, .pe = 7};
  CHECK(small.pe(last).ipcq == large.pe(last).ipcq);
  CHECK(small.node(small.pe(last).ipcq).name == "sip3.cube15.pe7.pe_ipcq");
}
