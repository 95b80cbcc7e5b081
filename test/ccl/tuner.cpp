#include "kbsim/ccl/tuner.hpp"

#include <doctest/doctest.h>

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

config::AlgorithmSpec one(const char* kernel, const char* topology,
                          config::Collective collective = config::Collective::all_reduce) {
  config::AlgorithmSpec spec;
  spec.kernel = kernel;
  spec.topology = topology;
  spec.collective = collective;
  return spec;
}

config::CclSpec declared() {
  config::CclSpec spec;
  spec.algorithms["plain"] = one("ring_allreduce", "ring_1d");
  spec.algorithms["both"] = one("bidirectional_ring_allreduce", "ring_1d");
  spec.algorithms["tree"] = one("tree_allreduce", "tree_binary");
  spec.algorithms["torus"] = one("torus_allreduce", "torus_2d");
  spec.algorithms["own"] = one("a_kernel_of_ones_own", "ring_1d");
  spec.algorithms["gather"] = one("ring_all_gather", "ring_1d", config::Collective::all_gather);
  spec.algorithms["cubes"] = one("intercube_allreduce", "cube_mesh");
  spec.algorithms["leaders"] = one("ring_allreduce", "ring_1d");
  spec.algorithms["leaders"].mapper = "cube_leaders";
  spec.algorithms["for_five"] = one("ring_allreduce", "ring_1d");
  spec.algorithms["for_five"].world_size = 5;
  spec.algorithms["four_pes"] = one("ring_allreduce", "ring_1d");
  spec.algorithms["four_pes"].world_size = 4;
  return spec;
}

config::MachineSpec packages(int n, config::SipTopology topology = config::SipTopology::ring_1d) {
  config::MachineSpec spec;
  spec.system.sips.count = n;
  spec.system.sips.topology = topology;
  return spec;
}

std::string first(const config::MachineSpec& machine, Bytes bytes) {
  return candidates(declared(), machine, config::Collective::all_reduce, bytes).front().algorithm.name;
}

}  // namespace

TEST_CASE("Tuner: few bytes go where the steps are few, many where each link carries least") {
  CHECK(first(packages(3), 64_B) == "plain");
  CHECK(first(packages(16), 64_B) == "tree");
  CHECK(first(packages(16), 16_MiB) == "both");
  CHECK(first(packages(16, config::SipTopology::torus_2d), 16_MiB) == "torus");
}

TEST_CASE("Tuner: only what is for the collective, this many ranks and any PEs; unknown kernels come last") {
  const auto all = candidates(declared(), packages(4), config::Collective::all_reduce, 1_KiB);
  std::vector<std::string> names;
  for (const Candidate& candidate : all) names.push_back(candidate.algorithm.name);
  CHECK(names.back() == "own");
  CHECK(!all.back().estimate);
  for (const char* other : {"gather", "cubes", "leaders", "for_five", "four_pes"})
    CHECK(std::ranges::find(names, other) == names.end());
  CHECK(names.size() == 5);
}

TEST_CASE("Tuner: an estimate is steps times 68 ns and bytes over the link between packages") {
  const config::MachineSpec four = packages(4);
  const auto all = candidates(declared(), four, config::Collective::all_gather, 1_MiB);
  REQUIRE(all.size() == 1);
  CHECK(*all[0].estimate == 3 * 68_ns + four.system.sips.link.bandwidth.serialization(3_MiB));
}

TEST_CASE("Tuner: chosen_up_to overrules the estimates, the smallest limit first") {
  config::CclSpec spec = declared();
  spec.algorithms["own"].chosen_up_to = 4_KiB;
  spec.algorithms["torus"].chosen_up_to = 64_KiB;
  const auto pick = [&](Bytes bytes) {
    return candidates(spec, packages(16), config::Collective::all_reduce, bytes).front().algorithm.name;
  };
  CHECK(pick(64_B) == "own");
  CHECK(pick(4_KiB) == "own");
  CHECK(pick(4_KiB + 1_B) == "torus");
  CHECK(pick(64_KiB) == "torus");
  CHECK(pick(16_MiB) == "both");
}

TEST_CASE("Tuner: a limit holds for its numbers of ranks and its links") {
  using enum config::SipTopology;
  config::CclSpec spec = declared();
  spec.algorithms["own"].chosen = {{.up_to = 4_KiB, .ranks = "8"}};
  spec.algorithms["tree"].chosen = {{.up_to = 1_MiB, .ranks = "2-4", .links = "torus_2d"}};
  spec.algorithms["torus"].chosen = {{.up_to = 16_KiB, .links = "line"}};
  const auto pick = [&](config::MachineSpec machine, Bytes bytes) {
    return candidates(spec, machine, config::Collective::all_reduce, bytes).front().algorithm.name;
  };
  CHECK(pick(packages(8), 4_KiB) == "own");
  CHECK(pick(packages(8), 4_KiB + 1_B) == first(packages(8), 4_KiB + 1_B));
  CHECK(pick(packages(7), 4_KiB) == first(packages(7), 4_KiB));
  CHECK(pick(packages(4, torus_2d), 1_MiB) == "tree");
  CHECK(pick(packages(4, mesh_2d), 1_MiB) == "tree");  // the same links by another name
  CHECK(pick(packages(4), 1_MiB) == first(packages(4), 1_MiB));
  CHECK(pick(packages(6, torus_2d), 1_MiB) == first(packages(6, torus_2d), 1_MiB));
  config::MachineSpec line = packages(5, mesh_2d_no_wrap);
  line.system.sips.w = 5;
  line.system.sips.h = 1;
  CHECK(pick(line, 16_KiB) == "torus");
  CHECK(pick(packages(6, mesh_2d_no_wrap), 16_KiB) == first(packages(6, mesh_2d_no_wrap), 16_KiB));
}

TEST_CASE("Tuner: an algorithm picked by_limit is no candidate beyond its limits") {
  config::CclSpec spec = declared();
  for (auto& [name, algorithm] : spec.algorithms) {
    if (name != "plain") algorithm.picked = config::Picked::by_limit;
  }
  spec.algorithms["both"].chosen_up_to = 1_KiB;
  const auto names = [&](Bytes bytes) {
    std::vector<std::string> all;
    for (const Candidate& one : candidates(spec, packages(16), config::Collective::all_reduce, bytes))
      all.push_back(one.algorithm.name);
    return all;
  };
  CHECK(names(1_KiB) == std::vector<std::string>{"both", "plain"});
  CHECK(names(2_KiB) == std::vector<std::string>{"plain"});
}
