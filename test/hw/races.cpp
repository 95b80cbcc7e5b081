// Data races in simulated time, planted and not.
#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::races_test {

using oplog::RaceMode;

namespace {

constexpr PeCoord kOne{0, 0, 0};
constexpr PeCoord kTwo{0, 0, 1};
constexpr Ptr kHere{.va = kVa, .dtype = f16};
constexpr Shape kBlock{1024};

struct NoArgs {};
using Kernel = Task<> (*)(TL&, NoArgs);

Task<> stores(TL& tl, NoArgs) { co_await tl.store(kHere, tl.zeros(kBlock, f16)); }
Task<> loads(TL& tl, NoArgs) { co_await tl.load(kHere, kBlock, f16); }

Task<> stores_apart(TL& tl, NoArgs) {
  co_await tl.store(kHere + tl.program_id(0) * 1024, tl.zeros(kBlock, f16));
}

Task<> one_stores_one_loads(TL& tl, NoArgs args) {
  if (tl.program_id(0) == 0) {
    co_await stores(tl, args);
  } else {
    co_await loads(tl, args);
  }
}

// One PE signals the other when its store is done.
Task<> takes_turns(TL& tl, NoArgs args) {
  const bool first = tl.program_id(0) == 0;
  if (!first) co_await tl.recv({.dir = {"from"}, .shape = {8}});
  co_await stores(tl, args);
  if (first) co_await tl.send({.dir = {"to"}, .src = tl.zeros({8}, f16)});
}

Task<> stores_and_loads(TL& tl, NoArgs) {
  auto stored = tl.store(kHere, tl.zeros(kBlock, f16));
  co_await tl.load(kHere + 1000, kBlock, f16);
  co_await stored;
}

Task<> stores_then_loads(TL& tl, NoArgs args) {
  co_await stores(tl, args);
  co_await loads(tl, args);
}

Task<> composite_and_load(TL& tl, NoArgs) {
  const Ref a = tl.ref(kHere, {64, 64}, f16);
  const Ref out = tl.ref(kHere + 8192, {64, 64}, f16);
  auto done = tl.composite({.op = Op::gemm, .a = a, .b = a, .out = out});
  co_await tl.load(kHere, {64, 64}, f16);  // reads what the composite reads: no race
  for (int i = 0; i < 8; ++i) co_await tl.load(kHere + 8192, {64, 64}, f16);
  co_await done;
}

Task<> on_both(Rig* rig, Kernel kernel) {
  for (const PeCoord pe : {kOne, kTwo}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, kOne), 1_MiB);
  co_await rig->connect(kOne, kTwo, 2, 1_KiB);
  std::vector<PeCoord> both{kOne, kTwo};
  co_await rig->launch(std::move(both), bind_kernel("kernel", kernel, NoArgs{}));
}

Task<> on_one(Rig* rig, Kernel kernel) {
  co_await map_and_launch(rig, kOne, in_hbm(*rig->spec, kOne), bind_kernel("kernel", kernel, NoArgs{}));
}

Task<> host_writes(Rig* rig, oplog::ValueId value) {
  const oplog::Slice contents{value, 0, Bytes{1_MiB}.count()};
  co_await hw::host_of(*rig->machine).write(3, rig->hbm(kOne), 0, contents);
}

Task<> host_writes_meanwhile(Rig* rig, Kernel kernel) {
  const std::uint32_t lane = rig->log.add_lane("rank3");
  (void)rig->sim.spawn("writer", host_writes(rig, rig->log.reserve(lane)));
  co_await on_one(rig, kernel);
}

Task<> host_reads(Rig* rig, Kernel kernel) {
  co_await on_one(rig, kernel);
  (void)co_await hw::host_of(*rig->machine).read(0, rig->hbm(kOne), 0, 4_KiB);
}

using Program = Task<> (*)(Rig*, Kernel);

std::vector<std::string> races(Program program, Kernel kernel, RaceMode mode = RaceMode::warn,
                               const SimulationOptions& options = {}) {
  Rig rig{small_machine(), options};
  rig.machine->races().watch(mode);
  rig.run(program(&rig, kernel));
  return rig.machine->races().reports();
}

void check_says(const std::string& text, const std::vector<std::string>& parts) {
  CAPTURE(text);
  for (const std::string& part : parts) CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("Race: two PEs that store to one place are named with operations, lines, times and memory") {
  const auto found = races(on_both, stores);
  REQUIRE(found.size() == 1);
  check_says(found[0],
             {"data race at ", " ns on 2 KiB of sip0.cube0.hbm0 from 0x0: kernel kernel on ",
              "kernel kernel on sip0.cube0.pe0, store of operation 0:1 at races.cpp:22 (in flight since ",
              "; and kernel kernel on ",
              "kernel kernel on sip0.cube0.pe1, store of operation 1:1 at races.cpp:22 (in flight since "});
}

TEST_CASE("Race: a load meets another PE's store in flight, or one of its own kernel that it didn't await") {
  const auto other = races(on_both, one_stores_one_loads);
  REQUIRE(other.size() == 1);
  check_says(other[0], {"pe0, store of operation 0:", "pe1, load of operation 1:"});
  const auto own = races(on_one, stores_and_loads);
  REQUIRE(own.size() == 1);
  check_says(own[0],
             {"on 48 B of ", " from 0x7d0: ", "pe0, store of operation 0:", "pe0, load of operation 0:"});
}

TEST_CASE("Race: accesses awaited, signalled by a send, apart, or only reads are none") {
  CHECK(races(on_one, stores_then_loads).empty());
  CHECK(races(on_both, takes_turns).empty());
  CHECK(races(on_both, stores_apart).empty());
  CHECK(races(on_both, loads).empty());
}

TEST_CASE("Race: a composite's tiles are its own; a load of its output before it is done is one race") {
  const auto found = races(on_one, composite_and_load);
  REQUIRE(!found.empty());
  for (const std::string& line : found)
    check_says(line, {"pe0, store of a composite of operation 0:", "pe0, load of operation 0:"});
}

TEST_CASE("Race: the host's writes race with a kernel's loads, by rank; its reads after the kernel don't") {
  const auto found = races(host_writes_meanwhile, loads);
  REQUIRE(found.size() == 1);
  check_says(found[0],
             {"on 2 KiB of ", "host program of rank 3, write of operation ", "pe0, load of operation"});
  CHECK(races(host_reads, stores).empty());
}

TEST_CASE("Race: as an error it ends the run with exit 8 and the same words; off, nothing is checked") {
  const auto warned = races(on_both, stores);
  REQUIRE(warned.size() == 1);
  try {
    (void)races(on_both, stores, RaceMode::error);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::deadlock);
    check_says(error.what(), {warned[0]});
  }
  CHECK(races(on_both, takes_turns, RaceMode::error).empty());
  CHECK(races(on_both, stores, RaceMode::off).empty());
}

TEST_CASE("Race: reports don't hang on the order of events of one time") {
  const auto expected = races(on_both, one_stores_one_loads);
  const auto composite = races(on_one, composite_and_load);
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    CAPTURE(seed);
    CHECK(races(on_both, one_stores_one_loads, RaceMode::warn, {.shuffle_ties = seed}) == expected);
    CHECK(races(on_one, composite_and_load, RaceMode::warn, {.shuffle_ties = seed}) == composite);
  }
}

}  // namespace kbsim::hw::test::races_test
