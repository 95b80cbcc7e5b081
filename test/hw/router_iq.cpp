// The input-queued crossbar in whole machines: equal to the output-queued router when alone, sound under
// load.
#include <doctest/doctest.h>

#include "random_machine.hpp"
#include "routers.hpp"
#include "sink.hpp"

namespace kbsim::hw::test::router_iq_test {
namespace {

using Attributes = std::map<std::string, Scalar>;

config::MachineSpec with_crossbars(config::MachineSpec spec, const Attributes& attrs) {
  return with_routers(std::move(spec), "builtin.router_iq", attrs);
}

Attributes any_crossbar(Random& random) {
  return {{"voq", random.below(2) == 0},
          {"vcs", std::int64_t{random.between(8, 12)}},
          {"arbiter", std::string{random.any_of({"round_robin", "oldest_first"})}},
          {"allocator", std::string{random.any_of({"islip", "separable"})}},
          {"iterations", std::int64_t{random.between(1, 3)}},
          {"input_speedup", std::int64_t{random.between(1, 3)}}};
}

// Packets aren't cut, and wait for no credits.
config::MachineSpec roomy_crossbars(Random& random, const config::MachineSpec& spec) {
  Attributes attrs = any_crossbar(random);
  attrs["flit_bytes"] = std::int64_t{4096};
  attrs["buffer_flits"] = std::int64_t{256};
  return with_crossbars(spec, attrs);
}

config::MachineSpec small_crossbars(Random& random, const config::MachineSpec& spec) {
  Attributes attrs = any_crossbar(random);
  attrs["flit_bytes"] = std::int64_t{random.any_of({50, 64, 256, 4096})};
  attrs["buffer_flits"] = std::int64_t{random.between(1, 16)};
  attrs["packet_flits"] = std::int64_t{random.any_of({1, 3, 16, 64})};
  attrs["credit_cycles"] = std::int64_t{random.below(3)};
  return with_crossbars(spec, attrs);
}

}  // namespace

TEST_CASE("Router IQ: on an idle network exactly as fast as the output-queued router") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = without_ports(with_sinks(varied_machine(random)));
    Rig plain{spec};
    Rig crossbar{roomy_crossbars(random, spec)};
    const std::vector<Flow> flow{random_flow(random, plain)};
    CHECK(deliver(crossbar, flow) == deliver(plain, flow));
    CHECK(crossbar.machine->fabric().attribution().split.total() ==
          plain.machine->fabric().attribution().split.total());
  }
}

TEST_CASE("Router IQ: under load all arrives, never sooner than alone, and no credit is lost") {
  check_under_load(small_crossbars);
}

TEST_CASE("Router IQ: no order of ties changes when anything arrives") { check_ties(small_crossbars); }

TEST_CASE("Router IQ: what it can't be is an error with a place") {
  const auto refused = [](const std::string& key, const Scalar& value, const char* why) {
    CHECK_THROWS_WITH_AS(Rig{with_crossbars(small_machine(), {{key, value}})}, doctest::Contains(why),
                         ConfigError);
  };
  refused("vcs", std::int64_t{3}, "vcs: expected at least 4");
  refused("arbiter", std::string{"round_robbin"},
          "arbiter: unknown arbiter 'round_robbin', did you mean 'round_robin'?");
}

}  // namespace kbsim::hw::test::router_iq_test
