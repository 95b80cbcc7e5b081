// The input-queued crossbar in whole machines: equal to the output-queued router when alone, sound under
// load.
#include <doctest/doctest.h>

#include "random_machine.hpp"
#include "routers.hpp"
#include "sink.hpp"

namespace kbsim::hw::test::router_iq_test {
namespace {

config::MachineSpec with_crossbars(config::MachineSpec spec, bool voq, const std::string& arbiter,
                                   Bytes buffer) {
  return with_routers(std::move(spec), "builtin.router_iq",
                      {{"voq", voq}, {"arbiter", arbiter}, {"buffer_bytes", buffer.count()}});
}

config::MachineSpec any_crossbars(Random& random, const config::MachineSpec& spec, Bytes buffer) {
  const bool voq = random.below(2) == 0;
  const bool turns = random.below(2) == 0;
  return with_crossbars(spec, voq, turns ? "round_robin" : "oldest_first", buffer);
}

config::MachineSpec small_crossbars(Random& random, const config::MachineSpec& spec) {
  return any_crossbars(random, spec, 4096_B);
}

}  // namespace

TEST_CASE("Router IQ: on an idle network exactly as fast as the output-queued router") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const config::MachineSpec spec = with_sinks(random_machine(random));
    Rig plain{spec};
    Rig crossbar{any_crossbars(random, spec, 1_MiB)};
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

TEST_CASE("Router IQ: a buffer that can't hold a packet, and an unknown arbiter, are errors with a place") {
  CHECK_THROWS_WITH_AS(Rig{with_crossbars(small_machine(), true, "round_robin", 128_B)},
                       doctest::Contains("buffer_bytes: 128 B can't hold a packet of 256 B"), ConfigError);
  CHECK_THROWS_WITH_AS(
      Rig{with_crossbars(small_machine(), true, "round_robbin", 4096_B)},
      doctest::Contains("arbiter: unknown arbiter 'round_robbin', did you mean 'round_robin'?"), ConfigError);
}

}  // namespace kbsim::hw::test::router_iq_test
