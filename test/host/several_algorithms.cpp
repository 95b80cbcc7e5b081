// A process group of several algorithms: any collective in one program.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

constexpr int kRanks = 3;
const std::vector<std::string> kAll{"intercube_allreduce", "gather", "scatter", "ring"};
const topology::DPPolicy kLeaderOnly{.num_cubes = 1, .num_pes = 1};

config::AlgorithmSpec over_ring(const std::string& name, const std::string& kernel,
                                config::Collective collective) {
  config::AlgorithmSpec spec;
  spec.name = name;
  spec.kernel = kernel;
  spec.collective = collective;
  spec.topology = "ring_1d";
  return spec;
}

// They differ in all settings of queues.
config::CclSpec algorithms() {
  config::CclSpec spec;
  const auto add = [&](config::AlgorithmSpec algorithm) { spec.algorithms[algorithm.name] = algorithm; };
  add(allreduce());
  config::AlgorithmSpec gather = over_ring("gather", "ring_all_gather", config::Collective::all_gather);
  gather.n_slots = 1;
  add(gather);
  config::AlgorithmSpec scatter =
      over_ring("scatter", "ring_reduce_scatter", config::Collective::reduce_scatter);
  scatter.buffer_kind = config::BufferKind::hbm;
  scatter.ipcq_credit_size = 32_B;
  add(scatter);
  config::AlgorithmSpec ring = over_ring("ring", "ring_allreduce", config::Collective::all_reduce);
  ring.backpressure = config::Backpressure::poll;
  ring.slot_size = 64_B;
  add(ring);
  return spec;
}

struct Several {
  explicit Several(std::optional<std::uint64_t> shuffle = {})
      : session{machine(kRanks, 2, 1),
                allreduce(),
                {.simulation = {.shuffle_ties = shuffle},
                 .replay_threads = 1,
                 .races = oplog::RaceMode::error,
                 .ccl = algorithms()}} {}

  void run(Task<> program) {
    (void)session.sim().spawn("main", main.run(std::move(program)));
    session.run();
  }
  std::string error(Task<> program) {
    try {
      run(std::move(program));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  Session session;
  World world;
  Rank main{session, world, 0};
};

using Worker = Task<> (*)(Rank&, int);

Task<> with(Rank& main, std::vector<std::string> names, Worker worker) {
  ProcessGroupOptions options{.algorithms = names};
  co_await main.dist.init_process_group(options);
  co_await main.mp.spawn(worker, 0, {.nprocs = kRanks});
}

struct Tensors {
  Tensor all;      // over the cubes
  Tensor part;     // of the leader, 6 elements
  Tensor whole;    // of the leader, 18
  Tensor another;  // of the leader, 6
};

Task<Tensors> tensors(Rank* rk) {
  const double value = rk->index + 1.0;
  const Tensor all = co_await rk->torch.full({2, 8}, value, f16, {.dp = kRows, .name = "all"});
  const Tensor part = co_await rk->torch.full({1, 6}, value, f16, {.dp = kLeaderOnly, .name = "part"});
  const Tensor whole =
      co_await rk->torch.full({1, 6 * kRanks}, 0.0, f16, {.dp = kLeaderOnly, .name = "whole"});
  const Tensor another = co_await rk->torch.full({1, 6}, value, f16, {.dp = kLeaderOnly, .name = "another"});
  co_return Tensors{.all = all, .part = part, .whole = whole, .another = another};
}

Task<> expect(Tensor x, std::vector<double> values) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == values);
}

std::vector<double> ranks_in_turn(std::size_t each) {
  std::vector<double> values;
  for (int rank = 0; rank < kRanks; ++rank) values.insert(values.end(), each, rank + 1.0);
  return values;
}

// all: 2 cubes of 1 + 2 + 3; whole: the parts; part: a third of the sum of the wholes.
Task<> expect_results(Tensors x) {
  co_await expect(x.all, std::vector<double>(16, 12.0));
  co_await expect(x.whole, ranks_in_turn(6));
  co_await expect(x.another, std::vector<double>(6, 6.0));
}

Task<> in_sequence(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.all_reduce(x.all);
  co_await rk.dist.all_gather_into_tensor(x.whole, x.part);
  co_await rk.dist.all_reduce(x.another, {.algorithm = "ring"});
  co_await expect_results(x);
  co_await rk.dist.reduce_scatter_tensor(x.part, x.whole);
  co_await expect(x.part, std::vector<double>(6, kRanks * (rk.index + 1.0)));
  co_await rk.dist.all_reduce(x.all);
  co_await expect(x.all, std::vector<double>(16, 72.0));
}

// All begin before the first await; the last one is awaited first.
Task<> at_once(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  const auto first = rk.dist.all_reduce(x.another, {.algorithm = "ring"});
  const auto second = rk.dist.all_gather_into_tensor(x.whole, x.part);
  const auto third = rk.dist.all_reduce(x.all);
  const auto fourth = rk.dist.reduce_scatter_tensor(x.part, x.whole);
  co_await fourth;
  co_await third;
  co_await second;
  co_await first;
  co_await expect_results(x);
  co_await expect(x.part, std::vector<double>(6, kRanks * (rk.index + 1.0)));
}

Task<> another_order(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  if (rk.index == 1) co_await rk.dist.all_reduce(x.all);
  co_await rk.dist.all_gather_into_tensor(x.whole, x.part);
}

Task<> another_algorithm(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.all_reduce(x.another, {.algorithm = rk.index == 2 ? "intercube_allreduce" : "ring"});
}

Task<> all_reduce_only(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.all_reduce(x.all);
  co_await expect(x.all, std::vector<double>(16, 12.0));
}

Task<> gathers(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.all_gather_into_tensor(x.whole, x.part);
}

// No declared algorithm fits either.
Task<> gathers_unevenly(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.all_gather_into_tensor(x.another, x.part);
}

Task<> broadcasts(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.broadcast(x.part);
}

Task<> gathers_by(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.all_gather_into_tensor(x.whole, x.part, {.algorithm = "ring"});
}

Task<> gathers_without_output(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.collective(config::Collective::all_gather, {.input = x.part});
}

Task<> reduces_with_output(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.collective(config::Collective::all_reduce,
                              {.input = x.part, .output = x.whole, .algorithm = "ring"});
}

Task<> misplaced_on_one(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  co_await rk.dist.all_reduce(x.another, {.algorithm = "intercube_allreduce"});
}

// Rank 1's first call is wrong, all other calls are right; the second call is awaited first.
Task<> wrong_on_one(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  const Tensor misplaced = co_await rk.torch.full({2, 8}, 1.0, f16, {.dp = kLeaderOnly, .name = "misplaced"});
  auto first = rk.dist.all_reduce(rk.index == 1 ? misplaced : x.all, {.algorithm = "intercube_allreduce"});
  auto second = rk.dist.all_gather_into_tensor(x.whole, x.part);
  co_await second;
  co_await first;
}

struct DoublesArgs {
  Ptr x;
};
Task<> doubles(TL& tl, DoublesArgs args) {
  const Tile x = co_await tl.load(args.x, {6}, f16);
  co_await tl.store(args.x, x + x);
}
KBSIM_KERNEL(doubles, "six elements twice as large");

Task<> reduces_then_launches(Rank& rk, int) {
  const Tensors x = co_await tensors(&rk);
  auto sum = rk.dist.all_reduce(x.another, {.algorithm = "ring"});
  co_await rk.launch("doubles", x.another, DoublesArgs{x.another.ptr()});
  co_await sum;
  co_await expect(x.another, std::vector<double>(6, 12.0));
}

Task<> alone(Rank& main) {
  ProcessGroupOptions options{.algorithms = kAll};
  co_await main.dist.init_process_group(options);
  const Tensor all = co_await main.torch.full({2, 8}, 3.0, f16, {.dp = kRows});
  const Tensor part = co_await main.torch.full({1, 6}, 4.0, f16, {.dp = kLeaderOnly});
  const Tensor whole = co_await main.torch.full({1, 6}, 0.0, f16, {.dp = kLeaderOnly});
  co_await main.dist.all_reduce(all);
  co_await main.dist.all_reduce(part, {.algorithm = "ring"});
  co_await main.dist.all_gather_into_tensor(whole, part);
  co_await expect(whole, std::vector<double>(6, 4.0));
  co_await main.dist.reduce_scatter_tensor(part, whole);
  co_await expect(all, std::vector<double>(16, 6.0));  // both cubes' parts
}

void fails(const std::vector<std::string>& names, Worker worker, const std::vector<std::string>& says) {
  Several program;
  const std::string text = program.error(with(program.main, names, worker));
  CAPTURE(text);
  for (const std::string& part : says) CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("Several algorithms: any collective of a process group, one after the other") {
  Several program;
  program.run(with(program.main, kAll, in_sequence));
  std::vector<std::string> of_rank_0;
  for (const CollectiveTiming& timing : program.session.collectives()) {
    if (timing.rank == 0) of_rank_0.push_back(timing.algorithm);
  }
  CHECK(of_rank_0 ==
        std::vector<std::string>{"intercube_allreduce", "gather", "ring", "scatter", "intercube_allreduce"});
}

TEST_CASE(
    "Several algorithms: collectives begun at once run in the order of their calls, whatever comes first") {
  using Ends = std::map<std::pair<int, std::string>, std::array<Time, 3>>;
  std::optional<Ends> without;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Several program{seed == 0 ? std::nullopt : std::optional{seed}};
    program.run(with(program.main, kAll, at_once));
    Ends ends;
    for (const CollectiveTiming& t : program.session.collectives())
      ends[{t.rank, t.algorithm}] = {t.first_start, t.last_end, t.done};
    CHECK(ends.size() == 4 * kRanks);
    if (!without) without = ends;
    CHECK(ends == *without);
    for (int rank = 0; rank < kRanks; ++rank) {
      CHECK(ends.at({rank, "ring"})[1] <= ends.at({rank, "gather"})[0]);
      CHECK(ends.at({rank, "gather"})[1] <= ends.at({rank, "scatter"})[0]);
    }
  }
}

TEST_CASE("Several algorithms: one alone takes the time and gives the digest that it takes unnamed") {
  const auto run = [](const std::vector<std::string>& names) {
    Several program;
    program.run(with(program.main, names, all_reduce_only));
    return std::pair{program.session.sim().now(), program.session.machine().digest().value()};
  };
  CHECK(run({}) == run({"intercube_allreduce"}));
}

TEST_CASE("Several algorithms: ranks that call others, or by others, are reported with both") {
  fails(kAll, another_order,
        {"Detected mismatch between collectives on ranks", "OpType=ALLREDUCE", "OpType=ALLGATHER"});
  fails(kAll, another_algorithm,
        {"Detected mismatch", "sum, root 0, by ring)", "sum, root 0, by intercube_allreduce)"});
}

TEST_CASE("Several algorithms: what isn't in the process group is refused with what is, and the remedy") {
  fails({}, gathers_unevenly,
        {"several_algorithms.cpp:",
         "all_gather_into_tensor of 'part': no algorithm for all_gather is installed (installed: "
         "intercube_allreduce for all_reduce); name one to init_process_group: gather"});
  fails(
      kAll, broadcasts,
      {"no algorithm for broadcast is installed (installed: intercube", "; no algorithm for it is declared"});
  fails(kAll, gathers_by,
        {"algorithm 'ring' is not installed for all_gather (installed: intercube_allreduce for all_reduce, "
         "gather for all_gather, scatter for reduce_scatter, ring for all_reduce); choose gather"});
  fails({"intercube_allreduce"}, in_sequence, {"algorithm 'ring' is not installed for all_reduce"});
  fails({"gathr"}, gathers, {"unknown algorithm 'gathr', did you mean 'gather'?"});
  fails({"gather", "ring", "gather"}, gathers, {"init_process_group: algorithm 'gather' is named twice"});
  fails({"gather", ""}, gathers, {"init_process_group: an algorithm without a name"});
}

TEST_CASE(
    "Several algorithms: one rank's wrong call is reported, though its next one and all others' are right") {
  fails(kAll, wrong_on_one, {"-- Process 1 terminated", "'misplaced': intercube_allreduce needs one shard"});
}

TEST_CASE("Several algorithms: a kernel launched after a collective that isn't awaited runs after it") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    Several program{seed == 0 ? std::nullopt : std::optional{seed}};
    program.run(with(program.main, kAll, reduces_then_launches));
  }
}

TEST_CASE("Several algorithms: they work in a world of one, which has no queues at all") {
  Session session{machine(1, 2, 1), allreduce(), {.replay_threads = 1, .ccl = algorithms()}};
  World world;
  Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(alone(main)));
  session.run();
  CHECK(session.collectives().size() == 4);
}

TEST_CASE("Several algorithms: a tensor must suit the algorithm that works on it") {
  fails(kAll, misplaced_on_one, {"'another': intercube_allreduce needs one shard on each participating PE"});
}

TEST_CASE("Several algorithms: a collective has an output tensor unless it works in place") {
  fails(kAll, gathers_without_output, {"all_gather_into_tensor of 'part': it needs an output tensor"});
  fails(kAll, reduces_with_output, {"all_reduce of 'part': it works in place, so it has no output tensor"});
}

void fails_with_world_size(int world_size, const std::string& says) {
  config::AlgorithmSpec wrong = allreduce();
  wrong.name = "wrong";
  wrong.world_size = world_size;
  config::CclSpec known = algorithms();
  known.algorithms["wrong"] = wrong;
  Session session{machine(kRanks, 2, 1), allreduce(), {.replay_threads = 1, .ccl = known}};
  World world;
  Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(with(main, {"gather", "wrong"}, gathers)));
  CHECK_THROWS_WITH_AS(session.run(), doctest::Contains(says.c_str()), Error);
}

TEST_CASE("Several algorithms: all must be for one number of ranks, all packages or all PEs") {
  fails_with_world_size(
      kRanks + 1,
      "'gather' has 3 ranks that are packages, but 'wrong' has 4 ranks that are PEs (world_size)");
  fails_with_world_size(
      kRanks, "'gather' has 3 ranks that are packages, but 'wrong' has 3 ranks that are PEs (world_size)");
}
