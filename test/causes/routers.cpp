// Why packets leave routers with queues: closed forms of one packet, and of two that contend.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runs.hpp"

namespace kbsim::test::causes::routers_test {
namespace {

// Time on the path waited for `what`.
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

Setup small_ring(const std::string& model, std::int64_t elements) {
  return {.overrides = machine(model),
          .algorithm = "chunked_ring_allreduce",
          .elements = elements,
          .over_cubes = false};
}

// Runs with `room` in the routers' queues.
Outcome run_with(Setup setup, const std::string& room) {
  setup.overrides.push_back("cube.noc.router." + room);
  return run(setup);
}

Time waited_for_room(const Outcome& outcome) {
  return waited(launch(outcome), "room in a queue of the next router");
}

}  // namespace

// Packets of a small ring don't meet: its path is that of routers without queues.
TEST_CASE("Routers with queues: a packet alone takes what it takes without") {
  Setup setup = small_ring("router", 16);
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
  const Setup setup = small_ring("router_vc", 4096);
  const Outcome large = run_with(setup, "buffer_bytes=65536");
  const Outcome small = run_with(setup, "buffer_bytes=256");
  CHECK(small.total > large.total);
  CHECK(waited_for_room(large) == Time{0});
  CHECK(waited_for_room(small) > Time{0});
}

TEST_CASE("Routers with worms: where one flit fits, the next waits for its room") {
  const Outcome small = run_with(small_ring("router_iq", 4096), "buffer_flits=1");
  CHECK(waited_for_room(small) > Time{0});
}

}  // namespace kbsim::test::causes::routers_test
