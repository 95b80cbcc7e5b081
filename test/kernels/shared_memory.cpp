// Programs that kernels build from atomics, on the machine and in the mock.
#include <numeric>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/mock/world.hpp"

#include "../host/program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

constexpr int kPes = 4;  // two cubes of two
constexpr std::int64_t kWords = 64;

/// `words` are zeros that all PEs see, `mine` a row of 32 words of each PE.
struct SharedArgs {
  Ptr words;
  Ptr mine;
};
using Kernel = Task<> (*)(TL&, SharedArgs);

int index_of(const TL& tl) { return tl.program_id(1) * tl.num_programs(0) + tl.program_id(0); }

// Eight tickets each.
Task<> draws_tickets(TL& tl, SharedArgs args) {
  const Ptr drawn = args.mine + index_of(tl) * 32;
  for (int i = 0; i < 8; ++i) {
    const Tile ticket = co_await tl.atomic_add(args.words, 1);
    co_await tl.store(drawn + i, ticket);
  }
}

// Counts each of 16 numbers among this PE's 32.
Task<> counts_numbers(TL& tl, SharedArgs args) {
  const Tile mine = (tl.arange(0, 32) * (3 + index_of(tl))) % 16;
  const Tile hits = tl.where(tl.eq(tl.unsqueeze(mine, 1), tl.arange(0, 16)), 1, 0);
  co_await tl.atomic_add(args.words, tl.sum(hits, {.axis = 0}).to(i32));
}

Task<> acquire(TL& tl, Ptr lock) {
  double taken = 1;
  while (taken != 0) {
    const Tile before = co_await tl.atomic_cas(lock, 0, 1);
    taken = co_await tl.item(before);
  }
}

// A counter without atomics, guarded by a lock.
Task<> counts_behind_a_lock(TL& tl, SharedArgs args) {
  for (int i = 0; i < 5; ++i) {
    co_await acquire(tl, args.words);
    const Tile count = co_await tl.load(args.words + 1, {1}, i32);
    co_await tl.store(args.words + 1, count + 1);
    co_await tl.atomic_xchg(args.words, 0);
  }
}

// Tasks 0 to 31 from a shared counter; each task leaves its square, and a mark in the row of the PE that did
// it.
Task<> works_off_a_queue(TL& tl, SharedArgs args) {
  for (;;) {
    const Tile next = co_await tl.atomic_add(args.words, 1);
    const double drawn = co_await tl.item(next);
    const auto task = static_cast<std::int64_t>(drawn);
    if (task >= 32) co_return;
    co_await tl.atomic_add(args.words + 1 + task, next * next);
    co_await tl.atomic_add(args.mine + index_of(tl) * 32, 1);
  }
}

// Numbers that f32 can't all keep: only the order in which they come decides the sum.
Task<> adds_floats(TL& tl, SharedArgs args) {
  const Ptr sum{.va = args.words.va, .dtype = f32};
  for (int i = 0; i < 8; ++i) co_await tl.atomic_add(sum, tl.full({4}, 1.0 + 0.125 * index_of(tl), f32));
}

// Each PE stores a number, meets the others and loads all numbers; then it meets them again and stores the
// sum.
Task<> sums_what_all_wrote(TL& tl, SharedArgs args) {
  const int me = index_of(tl);
  for (int round = 0; round < 3; ++round) {
    co_await tl.store(args.words + me, tl.full({1}, me + 10 * round, i32));
    co_await tl.barrier();
    const Tile all = co_await tl.load(args.words, {kPes}, i32);
    co_await tl.barrier();
    co_await tl.store(args.mine + me * 32 + round, tl.reshape(tl.sum(all, {.axis = 0}), {1}));
  }
}

Ptr box_of(const SharedArgs& args, int pe) { return args.words + 8 + 8 * pe; }

// A tile goes round three times, and each PE adds one to it.
Task<> passes_on(TL& tl, SharedArgs args) {
  const int me = index_of(tl);
  const int next = (me + 1) % kPes;
  Tile tile = tl.zeros({8}, i32);
  for (int round = 1; round <= 3; ++round) {
    if (me != 0) {
      co_await tl.wait_signal({.signal = args.words + me, .equal = round});
      tile = co_await tl.load(box_of(args, me), {8}, i32);
    }
    tile += 1;
    co_await tl.put({.dst = box_of(args, next), .src = tile, .signal = args.words + next, .value = round});
    if (me != 0) continue;
    co_await tl.wait_signal({.signal = args.words, .at_least = round});
    tile = co_await tl.load(box_of(args, 0), {8}, i32);
  }
}

// The first PE sums up the others' results once all are done.
Task<> makes_for_the_first(TL& tl, SharedArgs args) {
  const int me = index_of(tl);
  if (me != 0) {
    const Tile made = tl.full({8}, 10 * me, i32);
    co_await tl.put({.dst = box_of(args, me), .src = made, .signal = args.words, .op = SignalOp::add});
    co_return;
  }
  co_await tl.wait_signal({.signal = args.words, .at_least = kPes - 1});
  const Tile all = co_await tl.load(box_of(args, 1), {kPes - 1, 8}, i32);
  co_await tl.store(args.mine, tl.sum(all, {.axis = 0}));
}

struct SharedOutcome {
  std::vector<double> words;
  std::vector<double> mine;
  std::uint64_t digest = 0;
};

struct Run {
  Kernel kernel;
  SharedOutcome* outcome;
};

Task<> run_shared(Rank& main, Run run) {
  const topology::DPPolicy one{.num_cubes = 1, .num_pes = 1};
  const topology::DPPolicy all{.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};
  const Tensor words = co_await main.torch.zeros({kWords}, i32, {.dp = one, .shared = true});
  const Tensor mine = co_await main.torch.zeros({kPes, 32}, i32, {.dp = all});
  auto job = std::make_shared<hw::ControlJob>();
  const auto call = std::make_shared<const KernelCall>(
      bind_kernel("kernel", run.kernel, SharedArgs{words.ptr(), mine.ptr()}));
  for (const Shard& shard : mine.shards())
    job->targets.push_back({.pe = shard.spec.at, .action = hw::Launch{call}, .size = {}});
  [[maybe_unused]] const auto activity = co_await hw::host_of(main.session().machine()).order(0, 0, job);
  const HostArray word_array = co_await words.to_host();
  const HostArray mine_array = co_await mine.to_host();
  run.outcome->words = word_array.to_doubles();
  run.outcome->mine = mine_array.to_doubles();
}

SharedOutcome in_machine(Kernel kernel, std::optional<std::uint64_t> shuffle = {}) {
  Session session{
      machine(1, 2, 1),
      allreduce(),
      {.simulation = {.shuffle_ties = shuffle}, .replay_threads = 1, .races = oplog::RaceMode::error}};
  World world;
  Rank main{session, world, 0};
  SharedOutcome outcome;
  (void)session.sim().spawn("main", main.run(run_shared(main, Run{kernel, &outcome})));
  session.run();
  outcome.digest = session.machine().digest().value();
  return outcome;
}

SharedOutcome in_mock(Kernel kernel) {
  mock::World world{{.cubes = 2, .pes = 2}};
  const Ptr words = world.alloc(0, std::vector<double>(kWords, 0.0), i32);
  const Ptr mine = world.alloc(0, std::vector<double>(kPes * 32, 0.0), i32);
  world.launch(bind_kernel("kernel", kernel, SharedArgs{words, mine}));
  world.run();
  return {.words = world.read(0, words, kWords), .mine = world.read(0, mine, kPes * 32)};
}

std::vector<SharedOutcome> in_both(Kernel kernel) { return {in_machine(kernel), in_mock(kernel)}; }

Task<> shares_replicas(Rank& main, int) {
  [[maybe_unused]] const Tensor x = co_await main.torch.zeros({8}, f16, {.name = "x", .shared = true});
}

}  // namespace

TEST_CASE("Atomics: every ticket is drawn once, and each PE's come in order") {
  for (const SharedOutcome& outcome : in_both(draws_tickets)) {
    CHECK(outcome.words[0] == 8 * kPes);
    std::vector<double> drawn;
    for (int pe = 0; pe < kPes; ++pe) {
      const auto first = outcome.mine.begin() + pe * 32;
      CHECK(std::is_sorted(first, first + 8));
      drawn.insert(drawn.end(), first, first + 8);
    }
    std::ranges::sort(drawn);
    std::vector<double> all(8 * kPes);
    std::iota(all.begin(), all.end(), 0.0);
    CHECK(drawn == all);
  }
}

TEST_CASE("Atomics: a histogram counts the numbers of all PEs, exactly") {
  std::vector<double> expected(16, 0.0);
  for (int pe = 0; pe < kPes; ++pe) {
    for (int i = 0; i < 32; ++i) ++expected[static_cast<std::size_t>(i * (3 + pe) % 16)];
  }
  for (const SharedOutcome& outcome : in_both(counts_numbers))
    CHECK(std::vector(outcome.words.begin(), outcome.words.begin() + 16) == expected);
}

TEST_CASE("Atomics: a lock lets one in at a time, so that what it guards needs none and doesn't race") {
  for (const SharedOutcome& outcome : in_both(counts_behind_a_lock)) {
    CHECK(outcome.words[0] == 0);
    CHECK(outcome.words[1] == 5 * kPes);
  }
}

TEST_CASE("Atomics: each task of a queue is done once, by some PE") {
  for (const SharedOutcome& outcome : in_both(works_off_a_queue)) {
    CHECK(outcome.words[0] == 32 + kPes);
    for (std::size_t task = 0; task < 32; ++task)
      CHECK(outcome.words[1 + task] == static_cast<double>(task * task));
    double done = 0.0;
    for (int pe = 0; pe < kPes; ++pe) done += outcome.mine[static_cast<std::size_t>(pe) * 32];
    CHECK(done == 32);
  }
}

TEST_CASE("Atomics: which PE comes first doesn't depend on the order of events of one time") {
  for (const Kernel kernel : {Kernel{draws_tickets}, Kernel{works_off_a_queue}, Kernel{counts_behind_a_lock},
                              Kernel{adds_floats}}) {
    const SharedOutcome expected = in_machine(kernel);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const SharedOutcome outcome = in_machine(kernel, seed);
      CHECK(outcome.words == expected.words);
      CHECK(outcome.mine == expected.mine);
      CHECK(outcome.digest == expected.digest);
    }
  }
}

TEST_CASE("Barrier: what was stored before it is seen after it, without a race, round after round") {
  for (const SharedOutcome& outcome : in_both(sums_what_all_wrote)) {
    for (std::size_t pe = 0; pe < kPes; ++pe) {
      for (std::size_t round = 0; round < 3; ++round)
        CHECK(outcome.mine[pe * 32 + round] == static_cast<double>(6 + 40 * round));
    }
  }
}

TEST_CASE("Signals: a tile that is put from PE to PE is there when its signal is, without a race") {
  for (const SharedOutcome& outcome : in_both(passes_on)) {
    for (std::size_t pe = 0; pe < kPes; ++pe) CHECK(outcome.words[pe] == 3);
    for (std::size_t i = 0; i < 8; ++i) CHECK(outcome.words[8 + i] == 3 * kPes);
  }
}

TEST_CASE("Signals: a PE that waits for several goes on when all have put") {
  for (const SharedOutcome& outcome : in_both(makes_for_the_first)) {
    CHECK(outcome.words[0] == kPes - 1);
    for (std::size_t i = 0; i < 8; ++i) CHECK(outcome.mine[i] == 10 + 20 + 30);
  }
}

TEST_CASE("Signals: the times of waking don't depend on the order of events of one time") {
  for (const Kernel kernel : {Kernel{passes_on}, Kernel{makes_for_the_first}}) {
    const SharedOutcome expected = in_machine(kernel);
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
      const SharedOutcome outcome = in_machine(kernel, seed);
      CHECK(outcome.words == expected.words);
      CHECK(outcome.mine == expected.mine);
      CHECK(outcome.digest == expected.digest);
    }
  }
}

TEST_CASE("Tensor: one that is shared has one copy") {
  Program program;
  const std::string text = program.error(shares_replicas, 0, ExitCode::usage);
  CAPTURE(text);
  CHECK(text.find("tensor 'x' is shared, but its DPPolicy replicates it") != std::string::npos);
}
