#include "../tl/random_programs.hpp"

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_queue_state.hpp"

#include "../tl/wait_graphs.hpp"
#include "harness.hpp"

namespace kbsim::hw::test::random_programs_test {

using namespace kbsim::test;

namespace {

const std::vector<PeCoord> kPes{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}};
constexpr Bytes kSlot = 64_B;
constexpr std::uint64_t kRuns = 1000;

struct Setup {
  const kbsim::test::Programs* programs;
  topology::Region memory;
  std::optional<Time> poll;
};

QueueSet queues_of(const Rig& rig, const Setup& setup, int pe) {
  QueueSet queues{
      .queues = {},
      .settings = {
          .slots = setup.programs->slots, .slot_size = kSlot, .credit_size = 16_B, .poll = setup.poll}};
  std::int64_t wire = 0;
  for (const Wire& one : setup.programs->wires) {
    const auto ring = [&](int at) {
      return rig.ring(kPes[static_cast<std::size_t>(at)], setup.memory) + wire * 4_KiB;
    };
    const auto add = [&](int me, const std::string& name, int peer) {
      if (me != pe) return;
      queues.queues.push_back({.direction = name,
                               .peer = kPes[static_cast<std::size_t>(peer)],
                               .my_base = ring(me),
                               .peer_base = ring(peer)});
    };
    add(one.a, one.name_at_a, one.b);
    add(one.b, one.name_at_b, one.a);
    ++wire;
  }
  return queues;
}

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

Task<> run_programs(Rig* rig, Setup setup) {
  for (std::size_t pe = 0; pe < kPes.size(); ++pe) {
    std::vector<ControlTarget> target{
        {.pe = kPes[pe], .action = queues_of(*rig, setup, static_cast<int>(pe)), .size = {}}};
    co_await rig->order(std::move(target));
  }
  for (std::size_t pe = 0; pe < kPes.size(); ++pe) {
    const ProgramArgs args{&setup.programs->steps[pe]};
    (void)rig->sim.spawn("launch", launch(rig, kPes[pe], bind_kernel("random", random_program, args)));
  }
}

// The report, if it ends in a deadlock.
std::optional<WaitGraph> deadlock_of(const Setup& setup) {
  Rig rig{small_machine()};
  try {
    rig.run(run_programs(&rig, setup));
    return std::nullopt;
  } catch (const DeadlockError& found) {
    std::vector<QueueEnd> ends;
    for (const PeCoord pe : kPes) rig.machine->at<IQueueState>(rig.pe(pe).ipcq).add_ends(ends);
    return queue_waits(found.waiting(), ends);
  }
}

}  // namespace

TEST_CASE("Random programs: those that can finish do, the others get a right report of their waits") {
  int stuck = 0;
  int circles = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    CAPTURE(seed);
    const kbsim::test::Programs programs = random_programs(seed, static_cast<int>(kPes.size()));
    const Stuck expected = Reference{programs}.run();
    const std::optional<WaitGraph> found =
        deadlock_of({.programs = &programs,
                     .memory = !programs.fetched ? topology::Region::ipcq
                               : seed % 4 < 2    ? topology::Region::hbm
                                                 : topology::Region::sram,
                     .poll = seed % 3 == 0 ? std::optional{10_ns} : std::nullopt});
    REQUIRE(found.has_value() == !expected.empty());
    if (!found) continue;
    CAPTURE(to_string(*found));
    REQUIRE(waits_of(*found, kPes) == expected.waits);
    check_circle(*found, expected, kPes);
    ++stuck;
    circles += find_cycle(*found).empty() ? 0 : 1;
  }
  CHECK(stuck > static_cast<int>(kRuns) / 5);
  CHECK(stuck < static_cast<int>(kRuns) * 4 / 5);
  CHECK(circles > static_cast<int>(kRuns) / 20);
}

}  // namespace kbsim::hw::test::random_programs_test
