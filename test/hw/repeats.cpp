// Launches that repeat an earlier one: simulated again, or done again without simulation.
#include "kbsim/hw/repeats.hpp"

#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::repeats_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr PeCoord kOther{0, 1, 0};
constexpr Ptr kBytes{.va = kVa, .dtype = DType::u8};

struct None {};

// Loads, computes, and passes its sum on to the other PE.
Task<> passes_on(TL& tl, None) {
  const Tile loaded = co_await tl.load(kBytes, {1000}, DType::u8);
  if (tl.program_id(1) == 0) {
    co_await tl.send({.dir = "to", .src = loaded + loaded});
  } else {
    const Tile received = co_await tl.recv({.dir = "from", .shape = {1000}, .dtype = DType::u8});
    co_await tl.store(kBytes, loaded + received);
  }
}

struct Look {
  Rig* rig;
  bool* found;
};

Task<> looks(TL& tl, Look look) {
  co_await tl.load(kBytes, {64}, DType::u8);
  *look.found = Repeats{*look.rig->machine}.border().has_value();
}

Task<> sends(TL& tl, None) { co_await tl.send({.dir = "to", .src = tl.zeros({4}, DType::u8)}); }

Task<> leaves_a_tile(Rig* rig, BorderedWork* work) {
  co_await rig->connect(kPe, kOther, 3, 2_KiB);
  work->begin = Repeats{*rig->machine}.border().value();
  co_await rig->launch({kPe}, bind_kernel("sends", sends, None{}));
  work->end = Repeats{*rig->machine}.border().value();
}

struct Run {
  Rig* rig;
  int launches;
  int simulated;  // the others repeat the last of these
  std::vector<Time> ends;
  BorderState last;
};

Task<> launches(Run* run) {
  Rig& rig = *run->rig;
  Repeats repeats{*rig.machine};
  for (const PeCoord pe : {kPe, kOther}) co_await rig.map(pe, kVa, in_hbm(*rig.spec, pe), 4_KiB);
  co_await rig.connect(kPe, kOther, 3, 2_KiB);
  BorderedWork work;
  for (int i = 0; i < run->launches; ++i) {
    const BorderState begin = repeats.border().value();
    if (i < run->simulated) {
      co_await rig.launch({kPe, kOther}, bind_kernel("passes_on", passes_on, None{}));
      work = {begin, repeats.border().value()};
    } else {
      REQUIRE(Repeats::can_repeat(work, begin));
      co_await rig.sim.delay(work.time());
      repeats.repeat(work);
    }
    run->ends.push_back(rig.sim.now());
  }
  run->last = repeats.border().value();
}

Run run_of(int all, int simulated) {
  Rig rig{small_machine(), {}, oplog::Keep::times};
  Run run{.rig = &rig, .launches = all, .simulated = simulated, .ends = {}, .last = {}};
  rig.run(launches(&run));
  rig.machine->fabric().audit();
  return run;
}

}  // namespace

TEST_CASE("Repeats: launches that are done again end when they would, and count what they would") {
  const Run all = run_of(8, 8);
  for (const int simulated : {2, 3, 7}) {
    const Run some = run_of(8, simulated);
    CHECK(some.ends == all.ends);
    CHECK(some.last.counts == all.last.counts);
    CHECK(some.last.state == all.last.state);
    CHECK(some.last.fixed == all.last.fixed);
  }
}

TEST_CASE("Repeats: there is no border while a launch is under way") {
  Rig rig{small_machine(), {}, oplog::Keep::times};
  bool in_kernel = true;
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe),
                         bind_kernel("looks", looks, Look{.rig = &rig, .found = &in_kernel})));
  CHECK_FALSE(in_kernel);
}

TEST_CASE("Repeats: a part that doesn't state what it depends on refuses, with its name") {
  config::MachineSpec banks = small_machine();
  banks.cube.hbm_ctrl.impl = "builtin.hbm_banks";
  Rig rig{banks, {}, oplog::Keep::times};
  const BorderState state = Repeats{*rig.machine}.border().value();
  CHECK(state.refused.find("hbm") != std::string::npos);
  CHECK(state.refused.find("timing model") != std::string::npos);
  CHECK_FALSE(Repeats::can_repeat({state, state}, state));
}

TEST_CASE("Repeats: values, races and shuffled ties refuse") {
  const auto refusal = [](const SimulationOptions& options, oplog::Keep keep) {
    Rig rig{small_machine(), options, keep};
    return Repeats{*rig.machine}.border().value().refused;
  };
  CHECK(refusal({}, oplog::Keep::times).empty());
  CHECK(refusal({}, oplog::Keep::operations) == "values are computed");
  CHECK(refusal({.shuffle_ties = 3}, oplog::Keep::times).find("shuffled") != std::string::npos);
}

TEST_CASE("Repeats: work that leaves a tile in a queue isn't repeated") {
  Rig rig{small_machine(), {}, oplog::Keep::times};
  BorderedWork work;
  rig.run(leaves_a_tile(&rig, &work));
  CHECK_FALSE(Repeats::can_repeat(work, work.begin));
}

}  // namespace kbsim::hw::test::repeats_test
