// The neighbour topologies that are networks of packages, and the names of their wires in cube_mesh.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/ccl/mapper.hpp"

#include "plans.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

TEST_CASE("checklist 16: each neighbour topology can join packages, or is refused with the reason") {
  for (const auto& [name, topology] : topologies().entries()) {
    if (name.starts_with("test_")) continue;
    CAPTURE(name);
    const bool joins = std::ranges::find(config::kSipTopologies, name) != config::kSipTopologies.end();
    const bool refused =
        std::ranges::any_of(config::kNoSipTopologies, [&](const auto& one) { return one.first == name; });
    CHECK(joins != refused);
  }
}

TEST_CASE("checklist 16: cube_mesh labels packages as their wires lead") {
  config::MachineSpec spec = machine(4);
  const auto labels = [&](config::SipTopology joined, int sip) {
    spec.system.sips.topology = joined;
    const Wiring wiring =
        topologies().at("cube_mesh").wire(spec, mappers().at("cube_leaders").participants(spec));
    return wiring.at({.sip = sip});
  };
  using config::SipTopology;
  using Neighbours = std::vector<Neighbour>;
  CHECK(labels(SipTopology::tree_binary, 1) ==
        Neighbours{{"global_parent", {.sip = 0}}, {"global_child_left", {.sip = 3}}});
  CHECK(labels(SipTopology::tree_binary, 0) ==
        Neighbours{{"global_child_left", {.sip = 1}}, {"global_child_right", {.sip = 2}}});
  CHECK(labels(SipTopology::ring_1d_unidir, 1) ==
        Neighbours{{"global_E", {.sip = 2}, Flow::sends}, {"global_W", {.sip = 0}, Flow::receives}});
  for (const SipTopology joined : {SipTopology::all_pairs, SipTopology::doubling_distances})
    CHECK(labels(joined, 3) == Neighbours{{"global_E", {.sip = 0}}, {"global_W", {.sip = 2}}});
}
