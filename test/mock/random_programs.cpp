#include "../tl/random_programs.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/mock/world.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

constexpr int kCount = 4;

std::vector<PeCoord> pes() {
  std::vector<PeCoord> all;
  for (int pe = 0; pe < kCount; ++pe) all.push_back({0, 0, pe});
  return all;
}

mock::World world_of(const Programs& programs) {
  mock::WorldSpec spec{.pes = kCount, .queues = {.slots = programs.slots}, .fetched = programs.fetched};
  for (const Wire& wire : programs.wires) {
    spec.wiring[{0, 0, wire.a}].push_back({.direction = wire.name_at_a, .peer = {0, 0, wire.b}});
    spec.wiring[{0, 0, wire.b}].push_back({.direction = wire.name_at_b, .peer = {0, 0, wire.a}});
  }
  return mock::World{std::move(spec)};
}

std::optional<WaitGraph> deadlock_of(const Programs& programs, bool leaves) {
  mock::World world = world_of(programs);
  for (int pe = 0; pe < kCount; ++pe) {
    const ProgramArgs args{&programs.steps[static_cast<std::size_t>(pe)]};
    world.launch(PeCoord{0, 0, pe}, bind_kernel("random", random_program, args));
  }
  try {
    world.run();
    CHECK(!leaves);
    return std::nullopt;
  } catch (const DeadlockReport& found) {
    return found.graph();
  } catch (const KernelFault& left) {
    CHECK(leaves);
    CHECK(std::string{left.what()}.find("the launch has ended") != std::string::npos);
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("Mock: random programs that can finish do, the others get a right report of their waits") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    const Programs programs = random_programs(seed, kCount);
    Reference reference{programs};
    const Stuck expected = reference.run();
    const std::optional<WaitGraph> found = deadlock_of(programs, reference.leaves());
    REQUIRE(found.has_value() == !expected.empty());
    if (!found) continue;
    CAPTURE(to_string(*found));
    REQUIRE(waits_of(*found, pes()) == expected.waits);
    check_circle(*found, expected, pes());
  }
}
