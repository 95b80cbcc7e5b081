// A rank fails before, inside and after a collective: its peers' waits in kernels are aborted, and the
// context lives on.
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"
#include "sanitized.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

const std::vector<int> kWorlds{1, 2, 3, 8, 16};

enum class When { before, inside, after };

struct Failing {
  int rank = 0;
  When when = When::before;
  Time at = 100_ns;  // after the call, of inside
};

[[noreturn]] void fail() { throw UsageError{"enough"}; }

Task<> expect_value(Tensor x, double value) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == std::vector<double>(static_cast<std::size_t>(x.shape().elements()), value));
}

Task<> sums_and_fails(Rank& rk, Failing failing) {
  const Tensor x = co_await rk.torch.full({2, 40}, 1.0, f16, {.dp = kRows});
  const bool fails = rk.index == failing.rank;
  if (fails && failing.when == When::before) fail();
  auto sum = rk.dist.all_reduce(x);
  if (fails && failing.when == When::inside) {
    co_await rk.session().sim().delay(failing.at);
    fail();
  }
  co_await sum;
  if (fails) fail();
  co_await rk.dist.barrier();
}

Task<> works_after(Rank& rk, int times) {
  const int n = rk.dist.get_world_size();
  for (int i = 0; i < times; ++i) {
    const Tensor x = co_await rk.torch.full({2, 40}, 1.0, f16, {.dp = kRows});
    co_await rk.dist.all_reduce(x);
    co_await expect_value(x, 2.0 * n);  // two cubes
    co_await rk.dist.barrier();
  }
}

// Spawns the program and returns whether the spawn failed, as it must.
template <class Args>
Task<> spawn_failing(Rank& main, Task<> (*worker)(Rank&, Args), std::type_identity_t<Args> args) {
  bool failed = false;
  try {
    co_await main.mp.spawn(worker, args, {.nprocs = main.dist.get_world_size()});
  } catch (const SpawnException& error) {
    failed = true;
    CHECK(error.errors().size() == 1);
    CHECK(std::string{error.what()}.ends_with("enough"));
  }
  CHECK(failed);
}

Task<> fails_and_goes_on(Rank& main, Failing failing) {
  co_await main.dist.init_process_group({});
  const int n = main.dist.get_world_size();
  co_await spawn_failing(main, sums_and_fails, failing);
  co_await main.mp.spawn(works_after, 2, {.nprocs = n});
  co_await spawn_failing(main, sums_and_fails, failing);
  co_await main.mp.spawn(works_after, 1, {.nprocs = n});
  co_await main.dist.destroy_process_group();
}

// The failing spawn is the last step.
Task<> fails_only(Rank& main, Failing failing) {
  co_await main.dist.init_process_group({});
  co_await spawn_failing(main, sums_and_fails, failing);
}

// Groups that overlap, messages, a barrier and a launch are all under way when a rank fails.
Task<> much_under_way(Rank& rk, Failing failing) {
  const int n = rk.dist.get_world_size();
  const Group low = co_await rk.dist.new_group({0, 1, 2});
  const Group high = co_await rk.dist.new_group({1, 2, 3});
  const Tensor x = co_await rk.torch.full({2, 40}, 1.0, f16, {.dp = kRows});
  const Tensor y = co_await rk.torch.full({2, 40}, 1.0, f16, {.dp = kRows});
  if (rk.index == failing.rank) {
    co_await rk.session().sim().until(failing.at);
    fail();
  }
  std::vector<Distributed::Done> works;
  if (rk.dist.get_rank(low) >= 0) works.push_back(rk.dist.all_reduce(x, {.group = low}));
  if (rk.dist.get_rank(high) >= 0) works.push_back(rk.dist.all_reduce(x, {.group = high}));
  works.push_back(rk.dist.all_reduce(x));
  works.push_back(rk.dist.isend(y, (rk.index + 1) % n));
  works.push_back(rk.dist.irecv(y, (rk.index + n - 1) % n));
  works.push_back(rk.dist.barrier());
  for (const auto& work : works) co_await work;
}

Task<> much_and_goes_on(Rank& main, Failing failing) {
  co_await main.dist.init_process_group({});
  co_await spawn_failing(main, much_under_way, failing);
  co_await main.mp.spawn(works_after, 2, {.nprocs = 4});
  co_await main.dist.destroy_process_group();
}

struct NoArguments {};
Task<> awaits_a_neighbour(TL& tl, NoArguments) {
  const auto tile = co_await tl.recv({.dir = Dir::E, .shape = {8}});
}
KBSIM_KERNEL(awaits_a_neighbour, "waits for what the cube to the east never sends");

Task<> launches_and_fails(Rank& rk, Failing failing) {
  const Tensor x = co_await rk.torch.full({2, 8}, 1.0, f16, {.dp = {.num_cubes = 1, .num_pes = 1}});
  auto launched = rk.launch("awaits_a_neighbour", x, NoArguments{});
  co_await rk.session().sim().delay(failing.at);
  if (rk.index == failing.rank) fail();
  co_await launched;
}

Task<> launch_and_goes_on(Rank& main, Failing failing) {
  co_await main.dist.init_process_group({});
  co_await spawn_failing(main, launches_and_fails, failing);
  co_await main.mp.spawn(works_after, 2, {.nprocs = 2});
}

struct WordArgs {
  Ptr word;
};
bool is_first(TL& tl) { return tl.program_id(0) == 0 && tl.program_id(1) == 0; }

// The first PE waits for a tile that the cube to the east never sends, the others wait for the first.
Task<> meets_behind_a_queue(TL& tl, WordArgs) {
  if (is_first(tl)) {
    const auto tile = co_await tl.recv({.dir = Dir::E, .shape = {8}});
  }
  co_await tl.barrier();
}
KBSIM_KERNEL(meets_behind_a_queue, "a barrier that one never comes to");

Task<> signals_behind_a_queue(TL& tl, WordArgs args) {
  if (!is_first(tl)) {
    co_await tl.wait_signal({.signal = args.word, .at_least = 1});
    co_return;
  }
  const auto tile = co_await tl.recv({.dir = Dir::E, .shape = {8}});
  co_await tl.atomic_add(args.word, 1);
}
KBSIM_KERNEL(signals_behind_a_queue, "a signal that one never gives");

struct Meeting {
  const char* kernel;
  Failing failing;
};

// The second launch of each rank has yet to begin.
Task<> meets_and_fails(Rank& rk, Meeting meeting) {
  const Tensor x = co_await rk.torch.full(
      {4, 8}, 1.0, f16, {.dp = {.cube = topology::Split::row_wise, .pe = topology::Split::row_wise}});
  const Tensor word =
      co_await rk.torch.zeros({1}, i32, {.dp = {.num_cubes = 1, .num_pes = 1}, .shared = true});
  auto first = rk.launch(meeting.kernel, {x, word}, WordArgs{word.ptr()});
  auto second = rk.launch(meeting.kernel, {x, word}, WordArgs{word.ptr()});
  co_await rk.session().sim().delay(meeting.failing.at);
  if (rk.index == meeting.failing.rank) fail();
  co_await first;
  co_await second;
}

Task<> meeting_and_goes_on(Rank& main, Meeting meeting) {
  co_await main.dist.init_process_group({});
  const int n = main.dist.get_world_size();
  co_await spawn_failing(main, meets_and_fails, meeting);
  co_await main.mp.spawn(works_after, 2, {.nprocs = n});
  co_await main.dist.destroy_process_group();
}

// Rank 1 returns without the collective; the others call it before or after that.
Task<> one_leaves(Rank& rk, Time others_call) {
  const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows, .name = "x"});
  co_await rk.dist.all_reduce(x);
  co_await rk.dist.barrier();
  if (rk.index == 1) {
    co_await rk.session().sim().delay(10_us);
    co_return;
  }
  co_await rk.session().sim().delay(others_call);
  if (rk.index == 0) co_await rk.dist.all_reduce(x);
  if (rk.index == 2) co_await rk.dist.all_reduce(x);  // one line later
}

int line_in(const std::exception_ptr& error) {
  const std::string file = "failing_ranks.cpp:";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& thrown) {
    const std::string text = thrown.what();
    return std::stoi(text.substr(text.find(file) + file.size()));
  }
}

Task<> leaves_and_goes_on(Rank& main, Time others_call) {
  co_await main.dist.init_process_group({});
  const int n = main.dist.get_world_size();
  std::string text;
  try {
    co_await main.mp.spawn(one_leaves, others_call, {.nprocs = n});
  } catch (const SpawnException& failed) {
    text = failed.what();
    CHECK(failed.exit_code() == ExitCode::deadlock);
    CHECK(!failed.errors().contains(1));
    CHECK(failed.errors().contains(0));
    if (n == 3 && others_call == 0_us)  // both wait for rank 1
      CHECK(line_in(failed.errors().at(2)) == line_in(failed.errors().at(0)) + 1);
  }
  CAPTURE(text);
  CHECK(text.find("-- Process 0 terminated with the following error:\nfailing_ranks.cpp:") !=
        std::string::npos);
  CHECK(text.find(": all_reduce #2 of rank 0 can't end: the program of rank 1 has ended without it") !=
        std::string::npos);
  co_await main.mp.spawn(works_after, 2, {.nprocs = n});
  co_await main.dist.destroy_process_group();
}

config::MachineSpec of(int ranks) { return machine(ranks, 2, 1); }

}  // namespace

TEST_CASE(
    "Failing ranks: one that ends without a collective of the others gives them an error; all goes on") {
  for (const int n : {2, 3}) {
    for (const Time others_call : {0_us, 100_us}) Program{of(n)}.run(leaves_and_goes_on, others_call);
  }
}

TEST_CASE("Failing ranks: before, inside and after a collective, the group and the context go on") {
  for (const int n : kWorlds) {
    if (kbsim::test::kSanitized && n > 3) continue;
    for (const When when : {When::before, When::inside, When::after}) {
      CAPTURE(n);
      CAPTURE(static_cast<int>(when));
      for (const int rank : {0, n - 1}) Program{of(n)}.run(fails_and_goes_on, {.rank = rank, .when = when});
    }
  }
}

TEST_CASE("Failing ranks: at any time inside of a collective") {
  for (int ns = 0; ns < 2500; ns += kbsim::test::kSanitized ? 500 : 50) {
    CAPTURE(ns);
    Program{of(3)}.run(fails_and_goes_on, {.rank = 1, .when = When::inside, .at = 1_ns * ns});
  }
}

TEST_CASE("Failing ranks: a program that ends with a failed spawn ends, no kernel is left") {
  for (const int n : kWorlds) Program{of(n)}.run(fails_only, {.rank = n - 1});
}

TEST_CASE("Failing ranks: slots in TCM, HBM and SRAM, one or four, sleeping or polling") {
  for (const auto kind : {config::BufferKind::tcm, config::BufferKind::hbm, config::BufferKind::sram}) {
    for (const int slots : {1, 4}) {
      for (const auto wait : {config::Backpressure::sleep, config::Backpressure::poll}) {
        config::AlgorithmSpec algorithm = allreduce();
        algorithm.buffer_kind = kind;
        algorithm.n_slots = slots;
        algorithm.slot_size = 32_B;
        algorithm.backpressure = wait;
        Program{of(3), algorithm}.run(fails_and_goes_on, {.rank = 2, .when = When::inside, .at = 400_ns});
        Program{of(3), algorithm}.run(fails_and_goes_on, {.rank = 2});
      }
    }
  }
}

TEST_CASE("Failing ranks: overlapping groups, messages and a barrier, all under way, at any time") {
  for (int ns = 0; ns < 12000; ns += kbsim::test::kSanitized ? 3000 : 500) {
    CAPTURE(ns);
    for (const int rank : {1, 3}) Program{of(4)}.run(much_and_goes_on, {.rank = rank, .at = 1_ns * ns});
  }
}

TEST_CASE("Failing ranks: a kernel that a rank launched and that waits in a queue is aborted, too") {
  Program{of(2)}.run(launch_and_goes_on, {.rank = 1, .at = 2_us});
}

TEST_CASE(
    "Failing ranks: kernels that wait in a barrier or for a signal of one that is aborted end with it") {
  for (const char* kernel : {"meets_behind_a_queue", "signals_behind_a_queue"}) {
    CAPTURE(kernel);
    for (int ns = 0; ns <= 3000; ns += 150) {
      CAPTURE(ns);
      Program{of(2)}.run(meeting_and_goes_on, {.kernel = kernel, .failing = {.rank = 1, .at = 1_ns * ns}});
    }
    Program{of(3)}.run(meeting_and_goes_on, {.kernel = kernel, .failing = {.rank = 2, .at = 2_us}});
  }
}

TEST_CASE("Failing ranks: the same time, whatever the order of simultaneous events") {
  const auto time = [](std::optional<std::uint64_t> seed) {
    Program program{of(3), allreduce(), {.shuffle_ties = seed}};
    program.run(fails_and_goes_on, {.rank = 1});
    return program.session.sim().now();
  };
  const Time expected = time({});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) CHECK(time(seed) == expected);
}
