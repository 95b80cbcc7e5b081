// Collectives over every network of packages.
#include <array>

#include <doctest/doctest.h>

#include "collectives.hpp"

namespace kbsim::test::package_networks_test {
namespace {

constexpr std::array kNetworks{config::SipTopology::ring_1d_unidir, config::SipTopology::tree_binary,
                               config::SipTopology::all_pairs, config::SipTopology::doubling_distances};

config::MachineSpec joined_by(config::SipTopology network, int packages, int w = 1, int h = 1) {
  config::MachineSpec machine = machine_of(packages, w, h);
  machine.system.sips.topology = network;
  return machine;
}

}  // namespace

TEST_CASE("checklist 16: each all_reduce is right on each network of 2 to 8 packages") {
  for (const config::SipTopology network : kNetworks) {
    for (const std::string& name : algorithm_names()) {
      for (const int packages : {2, 3, 5, 8}) {
        const Collective c = collective(name, joined_by(network, packages), 2, 40);
        if (c.algorithm.collective != config::Collective::all_reduce) continue;
        CAPTURE(to_string(network));
        CAPTURE(name);
        CAPTURE(packages);
        CHECK(on_machine(c, inputs(c)) == expected(c, inputs(c)));
      }
    }
  }
}

TEST_CASE("checklist 16: intercube_allreduce exchanges along each network, in the mock, too") {
  for (const config::SipTopology network : kNetworks) {
    for (int packages = 2; packages <= 8; ++packages) {
      CAPTURE(to_string(network));
      CAPTURE(packages);
      const Collective c = collective("intercube_allreduce", joined_by(network, packages, 2, 2), 1, 200);
      CHECK(on_machine(c, inputs(c)) == expected(c, inputs(c)));
      CHECK(in_mock(c, inputs(c)) == expected(c, inputs(c)));
    }
  }
}

TEST_CASE("checklist 16: no event order changes what a network of packages does") {
  for (const config::SipTopology network : kNetworks) {
    CAPTURE(to_string(network));
    const Collective c = collective("intercube_allreduce", joined_by(network, 5, 2, 1), 1, 100);
    const Outcome first = outcome(c, inputs(c), std::nullopt);
    for (const std::uint64_t seed : {1, 2, 3}) CHECK(outcome(c, inputs(c), seed) == first);
  }
}

}  // namespace kbsim::test::package_networks_test
