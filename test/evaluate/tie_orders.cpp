// The order of simultaneous events decides nothing, on any machine that comes with kbsim.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/collective_run.hpp"
#include "kbsim/host/probe.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

#include "sanitized.hpp"

namespace kbsim::evaluate::test::tie_orders_test {
namespace {

const std::filesystem::path kConfigs = KBSIM_SOURCE_DIR "/configs";

config::MachineSpec machine(const std::filesystem::path& file) {
  return config::load_machine(
      {.file = kConfigs / file, .overrides = {}, .catalog = hw::ModelCatalog{}, .folders = {}});
}

std::vector<std::filesystem::path> machines() {
  std::vector<std::filesystem::path> names;
  for (const auto& entry : std::filesystem::directory_iterator{kConfigs}) {
    const std::filesystem::path name = entry.path().filename();
    if (name.extension() == ".yaml" && name != "ccl.yaml" && name != "wormhole.yaml") names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

const config::AlgorithmSpec& default_algorithm() {
  static const config::AlgorithmSpec algorithm = config::load_ccl(kConfigs / "ccl.yaml").resolve("");
  return algorithm;
}

// Digest of the default all-reduce.
std::uint64_t digest_on(const config::MachineSpec& spec, std::optional<std::uint64_t> shuffle_ties) {
  const CollectiveData data{spec, default_algorithm(), {}};
  host::Session session{
      spec, default_algorithm(), {.simulation = {.shuffle_ties = shuffle_ties}, .replay_threads = 1}};
  host::World world;
  host::Rank main{session, world, 0};
  CollectiveRun run;
  (void)session.sim().spawn("ccl", main.run(run_collective(main, &data, {}, &run)));
  session.run();
  CHECK(run.wrong == 0);
  return session.machine().digest().value();
}

void check_orders(const config::MachineSpec& spec, std::uint64_t orders) {
  const std::uint64_t expected = digest_on(spec, {});
  for (std::uint64_t seed = 1; seed <= orders; ++seed) {
    CAPTURE(seed);
    CHECK(digest_on(spec, seed) == expected);
  }
}

}  // namespace

TEST_CASE("Orders of ties: fifty give one digest on the default machine") {
  check_orders(machine("topology.yaml"), kbsim::test::fewer(50));
}

TEST_CASE("Orders of ties: five give one digest on every machine") {
  REQUIRE(machines().size() >= 4);
  for (const std::filesystem::path& file : machines()) {
    CAPTURE(file.string());
    check_orders(machine(file), 5);
  }
}

TEST_CASE("Orders of ties: no probe takes another time, on any machine") {
  kbsim::test::Sample sample{3};
  for (const std::filesystem::path& file : machines()) {
    CAPTURE(file.string());
    const config::MachineSpec spec = machine(file);
    for (const host::ProbeCase& each : host::probe_cases()) {
      if (host::missing_for(each.name, spec) || sample.skips()) continue;
      CAPTURE(each.name);
      const auto hops = [&](std::optional<std::uint64_t> shuffle_ties) {
        std::vector<Time> times;
        for (const host::ProbeHop& hop :
             host::probe(spec, default_algorithm(), each.name, 4_KiB, 1, {.shuffle_ties = shuffle_ties}).hops)
          times.insert(times.end(), {hop.arrive, hop.depart});
        return times;
      };
      const std::vector<Time> expected = hops({});
      for (std::uint64_t seed = 1; seed <= 2; ++seed) CHECK(hops(seed) == expected);
    }
  }
}

}  // namespace kbsim::evaluate::test::tie_orders_test
