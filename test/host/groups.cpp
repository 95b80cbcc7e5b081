// Groups of some of the ranks: numbering, values, several at once, and what is refused.
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

// Result of an all-reduce over these ranks, if rank r begins with r + 1 on four cubes.
double sum_of(const std::vector<int>& ranks) {
  return 4.0 * std::accumulate(ranks.begin(), ranks.end(), static_cast<double>(ranks.size()));
}

Task<> expect_all(Tensor x, double value) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == std::vector<double>(static_cast<std::size_t>(x.shape().elements()), value));
}

bool has(const std::vector<int>& ranks, int rank) { return std::ranges::find(ranks, rank) != ranks.end(); }

Task<Tensor> own_rows(Rank* rk) {
  Tensor x = co_await rk->torch.full({4, 8}, rk->index + 1.0, f32, {.dp = kRows, .name = "x"});
  co_return x;
}

// Evens, odds, neighbours, all, one alone: each rank is in several, and starts what it can before it awaits.
std::vector<std::vector<int>> overlapping(int n) {
  std::vector<std::vector<int>> groups(5);
  for (int rank = 0; rank < n; ++rank) groups[static_cast<std::size_t>(rank % 2)].push_back(rank);
  for (int rank = 0; rank < n / 2 + 1; ++rank) groups[2].push_back(rank);
  for (int rank = n / 3; rank < n; ++rank) groups[3].push_back(rank);
  groups[4] = {n - 1};
  std::erase_if(groups, [](const auto& ranks) { return ranks.empty(); });
  return groups;
}

Task<> sums_in_groups(Rank& rk, int times) {
  const int n = rk.dist.get_world_size();
  std::vector<Group> groups;
  for (const std::vector<int>& ranks : overlapping(n)) {
    Group group = co_await rk.dist.new_group(ranks);
    CHECK(rk.dist.get_process_group_ranks(group) == ranks);
    CHECK(rk.dist.get_world_size(group) == (has(ranks, rk.index) ? std::ssize(ranks) : -1));
    groups.push_back(group);
  }
  for (int i = 0; i < times; ++i) {
    std::vector<Tensor> tensors;
    std::vector<std::vector<int>> expected;
    std::vector<Distributed::Done> works;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::vector<int> ranks = rk.dist.get_process_group_ranks(groups[g]);
      if (!has(ranks, rk.index)) continue;
      Tensor x = co_await own_rows(&rk);
      works.push_back(rk.dist.all_reduce(x, {.group = groups[g]}));
      tensors.push_back(x);
      expected.push_back(ranks);
    }
    for (const auto& work : works) co_await work;
    for (std::size_t g = 0; g < tensors.size(); ++g) co_await expect_all(tensors[g], sum_of(expected[g]));
  }
  const Tensor x = co_await own_rows(&rk);
  co_await rk.dist.all_reduce(x);
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  co_await expect_all(x, sum_of(all));
}

struct InWorld {
  Task<> (*worker)(Rank&, int) = nullptr;
  int arg = 0;
};

Task<> in_world(Rank& main, InWorld in) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(in.worker, in.arg, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

Task<> in_groups_of_main(Rank& rk, std::vector<Group> groups) {
  for (const Group& group : groups) {
    if (rk.dist.get_rank(group) < 0) continue;
    const Tensor x = co_await own_rows(&rk);
    co_await rk.dist.all_reduce(x, {.group = group});
    co_await rk.dist.barrier(group);
    co_await expect_all(x, sum_of(rk.dist.get_process_group_ranks(group)));
  }
}

Task<> made_by_main(Rank& main, int) {
  co_await main.dist.init_process_group({});
  std::vector<Group> groups;
  for (const std::vector<int>& ranks : {std::vector{2, 0}, std::vector{1, 2}}) {
    Group group = co_await main.dist.new_group(ranks);
    groups.push_back(group);
  }
  CHECK(main.dist.get_process_group_ranks(groups[0]) == std::vector{0, 2});
  co_await main.mp.spawn(in_groups_of_main, groups, {.nprocs = 3});
  co_await main.dist.destroy_process_group(groups[0]);
  CHECK_THROWS_WITH(static_cast<void>(main.dist.get_rank(groups[0])),
                    doctest::Contains(": the process group has been destroyed"));
  co_await main.mp.spawn(in_groups_of_main, std::vector<Group>{groups[1]}, {.nprocs = 3});
  Group again = co_await main.dist.new_group({0, 2});
  co_await main.mp.spawn(in_groups_of_main, std::vector<Group>{groups[1], again}, {.nprocs = 3});
  co_await main.dist.destroy_process_group();
  CHECK_THROWS(static_cast<void>(main.dist.get_rank(groups[1])));
}

Task<> uses_others_group(Rank& rk, int) {
  const Group group = co_await rk.dist.new_group({0, 1});
  const Tensor x = co_await own_rows(&rk);
  co_await rk.dist.all_reduce(x, {.group = group});
}

Task<> makes_different_groups(Rank& rk, int) {
  const std::vector<int> ranks = rk.index == 2 ? std::vector{1, 2} : std::vector{0, 1};
  const Group group = co_await rk.dist.new_group(ranks);
}

Task<> disagrees_in_group(Rank& rk, int) {
  const Group group = co_await rk.dist.new_group({1, 2});
  if (rk.index == 0) co_return;
  const Tensor x = co_await own_rows(&rk);
  co_await rk.dist.all_reduce(x, {.op = rk.index == 1 ? ReduceOp::sum : ReduceOp::max, .group = group});
}

Task<> waits_in_group(Rank& rk, int) {
  const Group group = co_await rk.dist.new_group({1, 2});
  if (rk.index != 1) co_return;
  const Tensor x = co_await own_rows(&rk);
  co_await rk.dist.all_reduce(x, {.group = group});
}

// 0: too many, 1: out of range, 2: twice, 3: none
Task<> makes_wrong_group(Rank& rk, int which) {
  const std::vector<std::vector<int>> wrong{{0, 1, 2, 3}, {1, 3}, {1, 1}, {}};
  const Group group = co_await rk.dist.new_group(wrong[static_cast<std::size_t>(which)]);
}

const topology::DPPolicy kOnLeader{.num_cubes = 1, .num_pes = 1};

Task<> gathers_in_group(Rank& rk, int) {
  const Group group = co_await rk.dist.new_group({0, 2, 3}, {.algorithms = {"gather", "cast"}});
  if (rk.index == 1) {
    CHECK(rk.dist.get_rank(group) == -1);
    co_return;
  }
  CHECK(rk.dist.get_rank(group) == (rk.index == 0 ? 0 : rk.index - 1));
  const Tensor mine = co_await rk.torch.full({1, 6}, rk.index + 1.0, f16, {.dp = kOnLeader});
  const Tensor all = co_await rk.torch.zeros({1, 18}, f16, {.dp = kOnLeader});
  co_await rk.dist.all_gather_into_tensor(all, mine, {.group = group});
  const HostArray read = co_await all.to_host();
  std::vector<double> expected(18, 1.0);
  std::fill(expected.begin() + 6, expected.begin() + 12, 3.0);
  std::fill(expected.begin() + 12, expected.end(), 4.0);
  CHECK(read.to_doubles() == expected);
  co_await rk.dist.broadcast(mine, {.src = 2, .group = group});
  co_await expect_all(mine, 3.0);
}

Task<> roots_outside(Rank& rk, int) {
  const Group group = co_await rk.dist.new_group({0, 2, 3}, {.algorithms = {"gather", "cast"}});
  const Tensor mine = co_await rk.torch.full({1, 6}, rk.index + 1.0, f16, {.dp = kOnLeader, .name = "mine"});
  if (rk.index != 1) co_await rk.dist.broadcast(mine, {.src = 1, .group = group});
}

struct GroupsOf4 {
  GroupsOf4()
      : session{machine(4, 2, 1),
                allreduce(),
                {.replay_threads = 1, .races = oplog::RaceMode::error, .ccl = ccl()}} {}
  static config::CclSpec ccl() {
    config::CclSpec spec;
    const auto add = [&](const char* name, const char* kernel, config::Collective collective) {
      config::AlgorithmSpec one;
      one.name = name;
      one.kernel = kernel;
      one.collective = collective;
      one.topology = "ring_1d";
      spec.algorithms[name] = one;
    };
    add("gather", "ring_all_gather", config::Collective::all_gather);
    add("cast", "ring_broadcast", config::Collective::broadcast);
    return spec;
  }
  void run(Task<> (*worker)(Rank&, int)) {
    (void)session.sim().spawn("main", main.run(in_world(main, {.worker = worker})));
    session.run();
  }

  Session session;
  World world;
  Rank main{session, world, 0};
};

std::string group_error(Task<> (*worker)(Rank&, int), ExitCode exit, int arg = 0) {
  return Program{machine(3)}.error(in_world, {.worker = worker, .arg = arg}, exit);
}

}  // namespace

TEST_CASE(
    "Groups: overlapping ones at once give each its own sums, whatever the order of simultaneous events") {
  for (const int n : {1, 2, 3, 8}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      CAPTURE(n);
      const SimulationOptions options{.shuffle_ties = seed == 0 ? std::nullopt : std::optional{seed}};
      Program{machine(n, 2, 2), allreduce(), options}.run(in_world, {.worker = sums_in_groups, .arg = 2});
    }
  }
}

TEST_CASE("Groups: overlapping ones of sixteen ranks") {
  Program{machine(16, 2, 2)}.run(in_world, {.worker = sums_in_groups, .arg = 1});
}

TEST_CASE("Groups: a hundred collectives in a row") {
  Program{machine(3)}.run(in_world, {.worker = sums_in_groups, .arg = 25});
}

TEST_CASE("Groups: a run takes the same time whatever the order of simultaneous events") {
  const auto time = [](std::optional<std::uint64_t> seed) {
    Program program{machine(3), allreduce(), {.shuffle_ties = seed}};
    program.run(in_world, {.worker = sums_in_groups, .arg = 2});
    return program.session.sim().now();
  };
  const Time expected = time({});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) CHECK(time(seed) == expected);
}

TEST_CASE("Groups: the main program makes them for all ranks, and takes one away") {
  Program{machine(3)}.run(made_by_main, 0);
}

TEST_CASE(
    "Groups: other algorithms than the default group's; roots are ranks of the world, numbers the group's") {
  GroupsOf4{}.run(gathers_in_group);
  CHECK_THROWS_WITH_AS(GroupsOf4{}.run(roots_outside),
                       doctest::Contains("broadcast of 'mine': Global rank 1 is not part of group"), Error);
}

TEST_CASE("Groups: a rank that isn't a member can't use it") {
  CHECK(group_error(uses_others_group, ExitCode::usage)
            .find("Running all_reduce on global rank 2 which does not belong to the given group.") !=
        std::string::npos);
}

TEST_CASE("Groups: ranks that make different ones are reported with both calls and places") {
  const std::string text = group_error(makes_different_groups, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(text.find("Detected mismatch between collectives on ranks. Rank ") != std::string::npos);
  CHECK(text.find("is running new_group([0, 1]) at groups.cpp:") != std::string::npos);
  CHECK(text.find("is running new_group([1, 2]) at groups.cpp:") != std::string::npos);
}

TEST_CASE("Groups: members that disagree are reported with both calls and places") {
  const std::string text = group_error(disagrees_in_group, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(text.find("SequenceNumber=0, OpType=ALLREDUCE") != std::string::npos);
  CHECK(text.find("Options=sum, root 0) at groups.cpp:") != std::string::npos);
  CHECK(text.find("Options=max, root 0) at groups.cpp:") != std::string::npos);
}

TEST_CASE("Groups: a member that waits for another, whose program has ended, is reported with the group") {
  const std::string text = group_error(waits_in_group, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(
      text.find("all_reduce #0 of rank 1 in group 1 can't end: the program of rank 2 has ended without it") !=
      std::string::npos);
}

TEST_CASE("Groups: what can't be a group is refused in PyTorch's words") {
  const auto says = [](int which, const std::string& text) {
    CHECK(group_error(makes_wrong_group, ExitCode::usage, which).find(text) != std::string::npos);
  };
  says(0, "the new group's world size should be less or equal to the world size set by init_process_group");
  says(1, "the new group's rank should be within the world_size set by init_process_group");
  says(2, "a rank is named twice");
  says(3, "a group has one rank at least");
}
