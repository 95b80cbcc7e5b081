// Why packets leave routers with queues: closed forms of one packet, and of two that contend.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "runs.hpp"

namespace kbsim::test::causes::routers_test {
namespace {

// How much of it something waited for that.
Time waited(const Explanation& one, const std::string& what) {
  for (const Share& wait : one.waits) {
    if (wait.name == what) return wait.time;
  }
  return Time{0};
}

std::vector<std::string> machine(const std::string& model) {
  return {"system.sips.count=2", "sip.cube_mesh.w=1", "sip.cube_mesh.h=1",
          "cube.noc.router.impl=builtin." + model};
}

const Explanation& launch(const Outcome& outcome) {
  for (const Explanation& one : outcome.paths) {
    if (one.of.ends_with("allreduce")) return one;
  }
  throw UsageError{"there is no all-reduce"};
}

}  // namespace

// Nothing is in the way of a small ring: its path is that of routers without queues.
TEST_CASE("Routers with queues: a packet alone takes what it takes without") {
  Setup setup{.overrides = machine("router"),
              .algorithm = "chunked_ring_allreduce",
              .elements = 16,
              .over_cubes = false};
  const Outcome plain = run(setup);
  for (const std::string model : {"router_vc", "router_iq"}) {
    CAPTURE(model);
    setup.overrides = machine(model);
    const Outcome queued = run(setup);
    CHECK(queued.total == plain.total);
    const Derivative* const router = find(launch(queued), "cube.noc.router.overhead_ns");
    const Derivative* const before = find(launch(plain), "cube.noc.router.overhead_ns");
    REQUIRE(router != nullptr);
    CHECK(router->count == before->count);
    CHECK(launch(queued).waits.size() == launch(plain).waits.size());
  }
}

// A packet of 256 bytes fills the queue: the next goes when its tail has left and the credit is back.
TEST_CASE("Routers with queues: where one packet fits, the next waits for its room") {
  Setup setup{.overrides = machine("router_vc"),
              .algorithm = "chunked_ring_allreduce",
              .elements = 4096,
              .over_cubes = false};
  const std::string room = "room in a queue of the next router";
  setup.overrides.push_back("cube.noc.router.buffer_bytes=65536");
  const Outcome large = run(setup);
  CHECK(waited(launch(large), room) == Time{0});
  setup.overrides.back() = "cube.noc.router.buffer_bytes=256";
  const Outcome small = run(setup);
  CHECK(small.total > large.total);
  CHECK(waited(launch(small), room) > Time{0});
}

TEST_CASE("Routers with worms: where one flit fits, the next waits for its room") {
  Setup setup{.overrides = machine("router_iq"),
              .algorithm = "chunked_ring_allreduce",
              .elements = 4096,
              .over_cubes = false};
  const std::string room = "room in a queue of the next router";
  setup.overrides.push_back("cube.noc.router.buffer_flits=1");
  const Outcome small = run(setup);
  CHECK(waited(launch(small), room) > Time{0});
}

}  // namespace kbsim::test::causes::routers_test
