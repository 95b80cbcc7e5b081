#include <limits>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "plans.hpp"

using namespace kbsim;
using namespace kbsim::ccl;

namespace {

/// The exit code and text with which installing fails on two packages.
template <class Exception>
void check_refused(const config::AlgorithmSpec& algorithm, ExitCode exit, const std::string& text) {
  CHECK_THROWS_WITH_AS((void)plans_of(algorithm, machine(2)), text.c_str(), Exception);
  try {
    (void)plans_of(algorithm, machine(2));
  } catch (const Error& error) {
    CHECK(error.exit_code() == exit);
  }
}

/// A wiring of the first two PEs that take part, in which the first has these labels, all to the second.
Topology one_sided(const std::vector<std::string>& labels) {
  return {.doc = "for a test", .wire = [labels](const config::MachineSpec&, const std::vector<PeCoord>& pes) {
            Wiring wiring{{pes[0], {}}, {pes[1], {{.direction = "W", .peer = pes[0]}}}};
            for (const std::string& label : labels) {
              wiring[pes[0]].push_back({.direction = label, .peer = pes[1]});
            }
            return wiring;
          }};
}

}  // namespace

TEST_CASE("build_install_plans: an unknown topology or mapper is a usage error with the nearest name") {
  check_refused<UsageError>(algorithm("cube_mash"), ExitCode::usage,
                            "unknown neighbour topology 'cube_mash', did you mean 'cube_mesh'?");
  check_refused<UsageError>(algorithm("cube_mesh", "leaders_only"), ExitCode::usage,
                            "unknown mapper 'leaders_only', did you mean 'leader_only'?");
}

TEST_CASE(
    "build_install_plans: buffers and backpressure that aren't there yet are unsupported, exit code 5") {
  for (const std::string kind : {"hbm", "sram"}) {
    config::AlgorithmSpec elsewhere = algorithm();
    elsewhere.buffer_kind = kind;
    check_refused<Unsupported>(elsewhere, ExitCode::unsupported,
                               "buffer_kind: " + kind + " (rings outside TCM) is not supported yet; use tcm");
  }
  config::AlgorithmSpec polling = algorithm();
  polling.backpressure = "poll";
  check_refused<Unsupported>(polling, ExitCode::unsupported,
                             "backpressure: poll is not supported yet; use sleep");
  CHECK(static_cast<int>(ExitCode::unsupported) == 5);
}

TEST_CASE("build_install_plans: a ring larger than a PE's IPCQ space is a usage error") {
  config::AlgorithmSpec large = algorithm();
  large.slot_size = 16_MiB + 1_B;
  check_refused<UsageError>(large, ExitCode::usage,
                            "4 slots (n_slots) of 16777217 B (slot_size) are more than a PE's whole IPCQ "
                            "space, 64 MiB");
  large.slot_size = Bytes{std::numeric_limits<std::int64_t>::max()};
  CHECK_THROWS_AS((void)plans_of(large, machine(2)), UsageError);
}

TEST_CASE("build_install_plans: rings that together don't fit are an allocation error that names the PE") {
  config::AlgorithmSpec large = algorithm();
  large.slot_size = 16_MiB;
  CHECK_THROWS_AS((void)plans_of(large, machine(2)), AllocationError);
  large.slot_size = 8_MiB;
  CHECK_NOTHROW((void)plans_of(large, machine(2)));
}

TEST_CASE("build_install_plans: a wiring whose queues don't pair is a usage error") {
  topologies().add("test_unanswered", one_sided({"E", "X"}));
  check_refused<UsageError>(algorithm("test_unanswered"), ExitCode::usage,
                            "sip0.cube0.pe0 sends X to sip1.cube0.pe0, which has no queue left that points "
                            "back");
}

TEST_CASE("build_install_plans: two queues of one label are a usage error") {
  topologies().add("test_twice", one_sided({"E", "E"}));
  check_refused<UsageError>(algorithm("test_twice"), ExitCode::usage,
                            "sip0.cube0.pe0 has two queues labelled E");
}
