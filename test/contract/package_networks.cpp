// Networks of packages, by the command.
#include <string>

#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::package_networks_test {

using namespace kbsim::test;

TEST_CASE("checklist 16: the main job runs on each network of packages") {
  for (const std::string network : {"ring_1d_unidir", "tree_binary", "all_pairs", "doubling_distances"}) {
    const Outcome outcome =
        run_kbsim(kMainJob + " --quiet --set system.sips.count=3 --set sip.cube_mesh.h=1 " +
                  "--set system.sips.topology=" + network);
    CAPTURE(network);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 0);
    CHECK(outcome.out.find("(ws=3): 12 OK\n") != std::string::npos);
  }
}

TEST_CASE("checklist 16: what can't join packages is refused with those that can, and the reason") {
  const Outcome outcome = run_kbsim(kMainJob + " --set system.sips.topology=line_of_pes");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.err.find(
            "system.sips.topology: found 'line_of_pes', expected one of ring_1d, torus_2d, mesh_2d, "
            "mesh_2d_no_wrap, ring_1d_unidir, tree_binary, all_pairs, doubling_distances, full, links; it "
            "joins "
            "the PEs of a cube, not packages") != std::string::npos);
}

TEST_CASE("checklist 16: rows of packages that form no grid have no effect") {
  const Outcome outcome = run_kbsim(
      "--topology topology.yaml --quiet --bench ccl --algorithm tree_allreduce -b 64 -e 64 --set "
      "system.sips.count=4 --set system.sips.topology=tree_binary --set system.sips.h=2 --set "
      "system.sips.w=2");
  CAPTURE(outcome.err);
  CHECK(outcome.exit != 0);
  CHECK(outcome.err.find("tree_binary (system.sips.topology) has no rows") != std::string::npos);
}

}  // namespace kbsim::contract::package_networks_test
