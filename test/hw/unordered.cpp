// Races that times don't show: accesses far apart, or in flight together, that no chain of waits orders. Each
// has a variant that waits.
#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::unordered_test {
namespace {

constexpr PeCoord kOne{0, 0, 0};
constexpr PeCoord kTwo{0, 0, 1};
constexpr Ptr kHere{.va = kVa, .dtype = f16};
constexpr Ptr kThere{.va = kVa + 65536, .dtype = f16};
constexpr Ptr kWord{.va = kVa + 131072, .dtype = i32};
constexpr Shape kBlock{1024};

struct Planted {
  bool waits = false;  // as it should
  bool far = false;    // with a pause, so that nothing overlaps
};

void dawdle(TL& tl, Planted how) {
  for (int i = 0; how.far && i < 2000; ++i) (void)tl.zeros({1}, f16);
}

Task<> store_before_barrier(TL& tl, Planted how) {
  if (tl.program_id(0) == 0) {
    auto stored = tl.store(kHere, tl.zeros(kBlock, f16));
    if (how.waits) co_await stored;
    co_await tl.barrier();
    co_await stored;
  } else {
    co_await tl.barrier();
    dawdle(tl, how);
    co_await tl.load(kHere, kBlock, f16);
  }
}

Task<> store_before_send(TL& tl, Planted how) {
  if (tl.program_id(0) == 0) {
    auto stored = tl.store(kHere, tl.zeros(kBlock, f16));
    if (how.waits) co_await stored;
    co_await tl.send({.dir = {"to"}, .src = tl.zeros({8}, f16)});
    co_await stored;
  } else {
    co_await tl.recv({.dir = {"from"}, .shape = {8}});
    dawdle(tl, how);
    co_await tl.load(kHere, kBlock, f16);
  }
}

// The receiver overwrites what a send from memory has read, which has left by then, or what a load reads.
Task<> load_before_send(TL& tl, Planted how) {
  if (tl.program_id(0) == 0) {
    Pending<Tile> loaded;
    if (!how.waits) loaded = tl.load(kHere, kBlock, f16);
    co_await tl.send({.dir = {"to"}, .src = kHere, .shape = {8}});
    if (!how.waits) co_await loaded;
  } else {
    co_await tl.recv({.dir = {"from"}, .shape = {8}});
    dawdle(tl, how);
    co_await tl.store(kHere, tl.zeros({8}, f16));
  }
}

Task<> store_before_signal(TL& tl, Planted how) {
  if (tl.program_id(0) == 0) {
    auto stored = tl.store(kHere, tl.zeros(kBlock, f16));
    if (how.waits) co_await stored;
    auto put = tl.put({.dst = kThere, .src = tl.zeros(kBlock, f16), .signal = kWord});
    co_await stored;
    co_await put;
  } else {
    co_await tl.wait_signal({.signal = kWord, .at_least = 1});
    dawdle(tl, how);
    co_await tl.load(kThere, kBlock, f16);  // the put's own data
    co_await tl.load(kHere, kBlock, f16);
  }
}

// A word that is given away by an atomic is taken by another one.
Task<> store_before_atomic(TL& tl, Planted how) {
  if (tl.program_id(0) == 0) {
    auto stored = tl.store(kHere, tl.zeros(kBlock, f16));
    if (how.waits) co_await stored;
    co_await tl.atomic_xchg(kWord, 1);
    co_await stored;
  } else {
    for (int i = 0; i < 40; ++i) co_await tl.atomic_add(kWord, 0);  // the last is served after the other's
    dawdle(tl, how);
    co_await tl.load(kHere, kBlock, f16);
  }
}

// The store of a recv comes after all that the sender knew.
Task<> recv_into_what_was_stored(TL& tl, Planted how) {
  if (tl.program_id(0) == 0) {
    auto stored = tl.store(kHere, tl.zeros(kBlock, f16));
    if (how.waits) co_await stored;
    co_await tl.send({.dir = {"to"}, .src = tl.zeros({8}, f16)});
    co_await stored;
  } else {
    dawdle(tl, how);
    (void)co_await tl.recv({.dir = {"from"}, .shape = {8}, .dst = kHere});
  }
}

Task<> store_before_sync(TL& tl, Planted how) {
  auto stored = tl.store(kHere, tl.zeros(kBlock, f16));
  if (how.waits) co_await tl.sync();
  dawdle(tl, how);
  co_await tl.load(kHere, kBlock, f16);
  co_await stored;
}

Task<> copy_before_load(TL& tl, Planted how) {
  auto copied = tl.copy(kThere, kHere, kBlock);
  if (how.waits) co_await copied;
  dawdle(tl, how);
  co_await tl.load(kThere, kBlock, f16);
  co_await copied;
}

Task<> composite_before_load(TL& tl, Planted how) {
  const Ref a = tl.ref(kHere, {32, 32}, f16);
  auto done = tl.composite({.op = Op::gemm, .a = a, .b = a, .out = tl.ref(kThere, {32, 32}, f16)});
  if (how.waits) co_await done;
  dawdle(tl, how);
  co_await tl.load(kThere, {32, 32}, f16);
  co_await done;
}

// Each PE knows what all have stored in the turns before.
Task<> takes_turns(TL& tl, Planted how) {
  for (int i = 0; i < 4; ++i) {
    if (tl.program_id(0) == i % 2) co_await tl.store(kHere, tl.zeros(kBlock, f16));
    dawdle(tl, how);
    if (how.waits || i != 2) co_await tl.barrier();
  }
}

using Kernel = Task<> (*)(TL&, Planted);

Task<> on_both(Rig* rig, Kernel kernel, Planted how) {
  for (const PeCoord pe : {kOne, kTwo}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, kOne), 1_MiB);
  co_await rig->connect(kOne, kTwo, 2, 1_KiB);
  std::vector<PeCoord> both{kOne, kTwo};
  co_await rig->launch(std::move(both), bind_kernel("kernel", kernel, how));
}

Task<> on_one(Rig* rig, Kernel kernel, Planted how) {
  co_await map_and_launch(rig, kOne, in_hbm(*rig->spec, kOne), bind_kernel("kernel", kernel, how));
}

Task<> stores(TL& tl, Planted) { co_await tl.store(kHere, tl.zeros(kBlock, f16)); }
Task<> loads(TL& tl, Planted) { co_await tl.load(kHere, kBlock, f16); }

Task<Activity> launched(Rig* rig, PeCoord pe, Kernel kernel) {
  const auto call = std::make_shared<const KernelCall>(bind_kernel("kernel", kernel, Planted{}));
  auto job = std::make_shared<ControlJob>();
  job->targets.push_back({.pe = pe, .action = Launch{call}, .size = {}});
  return host_of(*rig->machine).order(0, 0, std::move(job));
}

Task<> map_both(Rig* rig) {
  for (const PeCoord pe : {kOne, kTwo}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, kOne), 1_MiB);
}

// The second launch is sent after the first has been awaited, or without awaiting it, at once or later.
Task<> launches(Rig* rig, Kernel, Planted how) {
  co_await map_both(rig);
  Task<Activity> first = launched(rig, kOne, stores);
  if (how.waits) co_await std::exchange(first, Task<Activity>{});
  if (how.far) co_await rig->sim.delay(1000_us);
  co_await launched(rig, kTwo, loads);
  if (!how.waits) co_await std::move(first);
}

// On one PE the kernels of a rank are in turn.
Task<> launches_of_one_pe(Rig* rig, Kernel, Planted how) {
  co_await map_both(rig);
  Task<Activity> first = launched(rig, kOne, stores);
  if (how.far) co_await rig->sim.delay(1000_us);
  co_await launched(rig, kOne, loads);
  co_await std::move(first);
}

oplog::Slice contents(Rig* rig) {
  return {rig->log.reserve(rig->log.add_lane("rank0")), 0, Bytes{4_KiB}.count()};
}

Task<> host_write_and_kernel(Rig* rig, Kernel, Planted how) {
  co_await map_both(rig);
  Task<> written = host_of(*rig->machine).write(0, rig->hbm(kOne), 0, contents(rig));
  if (how.waits) co_await std::exchange(written, Task<>{});
  if (how.far) co_await rig->sim.delay(1000_us);
  co_await launched(rig, kOne, loads);
  if (!how.waits) co_await std::move(written);
}

Task<> kernel_and_host_read(Rig* rig, Kernel, Planted how) {
  co_await map_both(rig);
  Task<Activity> stored = launched(rig, kOne, stores);
  if (how.waits) co_await std::exchange(stored, Task<Activity>{});
  if (how.far) co_await rig->sim.delay(1000_us);
  (void)co_await host_of(*rig->machine).read(0, rig->hbm(kOne), 0, 4_KiB);
  if (!how.waits) co_await std::move(stored);
}

// Each writes where its neighbour wrote before the last barrier.
Task<> many_barriers(TL& tl, Planted) {
  const int all = tl.num_programs(0) * tl.num_programs(1);
  const int me = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0);
  const Tile zeros = tl.zeros({32}, f16);
  for (int i = 0; i < 30; ++i) {
    co_await tl.store(kHere + (me + i) % all * 32, zeros);
    co_await tl.barrier();
  }
}

Task<> on_all(Rig* rig, Kernel kernel, Planted how) {
  std::vector<PeCoord> all;
  for (int cube = 0; cube < rig->spec->cubes_per_sip(); ++cube) {
    for (int pe = 0; pe < rig->spec->pes_per_cube(); ++pe) all.push_back({0, cube, pe});
  }
  for (const PeCoord pe : all) co_await rig->map(pe, kVa, in_hbm(*rig->spec, kOne), 1_MiB);
  co_await rig->launch(std::move(all), bind_kernel("kernel", kernel, how));
}

using Program = Task<> (*)(Rig*, Kernel, Planted);

struct Outcome {
  std::vector<std::string> races;
  Time end;
  Bytes memory;
};

Outcome run(Program program, Kernel kernel, Planted how, std::uint64_t seed = 0,
            oplog::RaceMode mode = oplog::RaceMode::warn) {
  Rig rig{small_machine(), {.shuffle_ties = seed == 0 ? std::nullopt : std::optional{seed}}};
  rig.machine->races().watch(mode);
  rig.machine->set_evaluator([n = 0](const oplog::Operand&) mutable {
    return std::vector<double>{n++ == 0 ? 0.0 : 1.0};  // the word, before the signal and after it
  });
  rig.run(program(&rig, kernel, how));
  return {rig.machine->races().reports(), rig.sim.now(), rig.machine->races().memory()};
}

void check_reported(Program program, Kernel kernel, const std::string& missing) {
  for (const bool far : {false, true}) {
    CAPTURE(far);
    const Outcome fine = run(program, kernel, {.waits = true, .far = far});
    CHECK_MESSAGE(fine.races.empty(), fine.races.front());
    const Outcome racy = run(program, kernel, {.waits = false, .far = far});
    REQUIRE(!racy.races.empty());
    CAPTURE(racy.races.front());
    CHECK(racy.races.front().ends_with("; " + missing));
    CHECK(run(program, kernel, {.waits = false, .far = far}, 3).races == racy.races);
    const Outcome blind = run(program, kernel, {.waits = false, .far = far}, 0, oplog::RaceMode::off);
    CHECK(blind.races.empty());
    CHECK(blind.end == racy.end);
    CHECK(blind.memory == 0_B);
  }
}

Bytes held(int cubes) {
  config::MachineSpec spec = small_machine();
  spec.sip.cube_mesh = {.w = cubes, .h = 1};
  Rig rig{spec};
  rig.machine->races().watch(oplog::RaceMode::error);
  rig.run(on_all(&rig, many_barriers, {}));
  return rig.machine->races().memory();
}

}  // namespace

TEST_CASE("Unordered: what looking holds grows with the PEs of a program of many barriers, not with pairs") {
  const Bytes few = held(8);
  CHECK(few > 0_B);
  CHECK(held(16).count() < few.count() * 5 / 2);
  CHECK(held(32).count() < few.count() * 5);
}

TEST_CASE("Unordered: a store that isn't awaited before a barrier, a send, a signal or an atomic") {
  check_reported(on_both, store_before_barrier,
                 "the store at unordered.cpp:30 isn't awaited before the barrier");
  check_reported(on_both, store_before_send, "the store at unordered.cpp:43 isn't awaited before the send");
  check_reported(on_both, store_before_signal,
                 "the store at unordered.cpp:70 isn't awaited before the signal");
  check_reported(on_both, store_before_atomic,
                 "the store at unordered.cpp:86 isn't awaited before the signal");
}

TEST_CASE("Unordered: a load that isn't awaited before a send, whose receiver overwrites what it reads") {
  check_reported(on_both, load_before_send, "the load at unordered.cpp:58 isn't awaited before the send");
}

TEST_CASE("Unordered: what a recv stores, beside a store that its sender hasn't awaited") {
  check_reported(on_both, recv_into_what_was_stored,
                 "the store at unordered.cpp:100 isn't awaited before the send");
}

TEST_CASE("Unordered: a kernel's own accesses, by stores, copies and composites") {
  check_reported(on_one, store_before_sync,
                 "the store at unordered.cpp:111 isn't awaited before the load at unordered.cpp:114");
  check_reported(on_one, copy_before_load,
                 "the copy at unordered.cpp:119 isn't awaited before the load at unordered.cpp:122");
  check_reported(on_one, composite_before_load,
                 "the store of a composite at unordered.cpp:128 isn't awaited before the load at "
                 "unordered.cpp:131");
}

TEST_CASE("Unordered: PEs that take turns by barriers; one barrier is missing") {
  for (const bool far : {false, true}) {
    CAPTURE(far);
    CHECK(run(on_both, takes_turns, {.waits = true, .far = far}).races.empty());
  }
}

TEST_CASE("Unordered: kernels of two launches; the host hasn't awaited the first") {
  check_reported(launches, nullptr, "nothing orders them");
  for (const bool far : {false, true}) CHECK(run(launches_of_one_pe, nullptr, {.far = far}).races.empty());
}

TEST_CASE("Unordered: the host's writes and reads, and kernels") {
  check_reported(host_write_and_kernel, nullptr, "the write isn't awaited before the launch");
  check_reported(kernel_and_host_read, nullptr, "nothing orders them");
}

}  // namespace kbsim::hw::test::unordered_test
