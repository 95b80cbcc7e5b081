// Processes that host programs wait for when no event is left.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/sim/wait_graph.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct NoWaitArgs {};

// PE 0 of cube 0 never comes.
Task<> meets_without_first(TL& tl, NoWaitArgs) {
  if (tl.program_id(1) == 0) co_await tl.recv({.dir = Dir::E, .shape = {1}});
  co_await tl.barrier();
}
KBSIM_KERNEL(meets_without_first, "stands in a barrier, but for one");

Task<> returns_at_once(TL&, NoWaitArgs) { co_return; }
KBSIM_KERNEL(returns_at_once, "nothing");

Task<> waits_for_east(TL& tl, NoWaitArgs) {
  if (tl.program_id(1) == 0) co_await tl.recv({.dir = Dir::E, .shape = {1}});
}
KBSIM_KERNEL(waits_for_east, "PE 0 of cube 0 waits for what nobody sends");

Task<Tensor> rows(Rank& rank) {
  const Tensor x = co_await rank.torch.zeros({2, 8}, f16, {.dp = kRows});
  co_return x;
}

using Worker = Task<> (*)(Rank&, int);

Task<> on_all_pes(Rank& main, Worker worker) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(worker, 0, {.nprocs = 2});
}

// Rank 1 of the group isn't spawned.
Task<> on_first_alone(Rank& main, Worker worker) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(worker, 0, {.nprocs = 1});
}

Task<> reduces(Rank& rank, int) {
  const Tensor x = co_await rows(rank);
  co_await rank.dist.all_reduce(x);
}

Task<> second_launches_instead(Rank& rank, int) {
  const Tensor x = co_await rows(rank);
  if (rank.index == 1) co_await rank.launch("waits_for_east", x, NoWaitArgs{});
  co_await rank.dist.all_reduce(x);
}

Task<> first_launches_alone(Rank& rank, int) {
  const Tensor x = co_await rows(rank);
  if (rank.index == 0) co_await rank.launch("meets_without_first", x, NoWaitArgs{});
}

Task<> first_launches_then_reduces(Rank& rank, int) {
  const Tensor x = co_await rows(rank);
  auto reduced = rank.dist.all_reduce(x);
  co_await rank.session().sim().delay(10_us);
  if (rank.index == 0) co_await rank.launch("returns_at_once", x, NoWaitArgs{});
  co_await reduced;
}

struct Found {
  WaitGraph graph;
  std::vector<std::string> edges;

  explicit Found(WaitGraph found) : graph{std::move(found)} {
    for (const WaitGraph::Edge& edge : graph.edges) edges.push_back(edge.why);
  }
  [[nodiscard]] std::vector<std::string> of(const std::string& name) const {
    std::vector<std::string> all;
    for (const WaitGraph::Edge& edge : graph.edges) {
      if (graph.nodes[edge.from].name == name) all.push_back(edge.why);
    }
    return all;
  }
  [[nodiscard]] bool waits(const std::string& name) const {
    const auto node = std::ranges::find(graph.nodes, name, &WaitGraph::Node::name);
    REQUIRE(node != graph.nodes.end());
    return node->waiting.has_value();
  }
};

Found deadlock_of(Worker worker, const config::AlgorithmSpec& algorithm = allreduce(),
                  Task<> (*main)(Rank&, Worker) = on_all_pes) {
  Program program{machine(2, 2, 1), algorithm};
  try {
    program.run(main, worker);
  } catch (const DeadlockReport& report) {
    return Found{report.graph()};
  }
  FAIL("it isn't stuck");
  return Found{{}};
}

config::AlgorithmSpec stuck_allreduce() {
  config::AlgorithmSpec algorithm = allreduce();
  algorithm.kernel = "waits_as_collective";
  return algorithm;
}

Task<> waits_as_collective(TL& tl, CollectiveArgs args) {
  if (args.rank == 0 && tl.program_id(1) == 1) co_await tl.recv({.dir = Dir::W, .shape = {1}});
}
KBSIM_KERNEL(waits_as_collective, "PE 0 of cube 1 of rank 0 waits for what nobody sends");

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("Host waits: a collective that a rank never calls names that rank, and the waits up to main") {
  const Found found = deadlock_of(reduces, allreduce(), on_first_alone);
  CAPTURE(to_string(found.graph));
  CHECK(found.of("main") == Words{"main ← rank 0: has not ended"});
  CHECK(found.of("rank 0") == Words{"rank 0 ← all_reduce #0 of rank 0: has not ended"});
  CHECK(found.of("all_reduce #0 of rank 0") ==
        Words{"all_reduce #0 of rank 0 ← rank 1: has not called it, and does not run",
              "all_reduce #0 of rank 0 launch of intercube_allreduce ← sip0.cube0.pe0: has not returned",
              "all_reduce #0 of rank 0 launch of intercube_allreduce ← sip0.cube1.pe0: has not returned"});
  CHECK(found.waits("rank 0"));
  CHECK(!found.waits("rank 1"));
  CHECK(find_cycle(found.graph).empty());
}

TEST_CASE("Host waits: a rank that is stuck before its collective is one that hasn't called it, and runs") {
  const Found found = deadlock_of(second_launches_instead);
  CAPTURE(to_string(found.graph));
  CHECK(found.of("main") == Words{"main ← rank 0: has not ended", "main ← rank 1: has not ended"});
  CHECK(found.of("all_reduce #0 of rank 0").front() == "all_reduce #0 of rank 0 ← rank 1: has not called it");
  CHECK(found.of("rank 1") == Words{"rank 1 ← launch #0 of rank 1: has not ended"});
  CHECK(found.of("launch #0 of rank 1") ==
        Words{"launch #0 of rank 1 launch of waits_for_east ← sip1.cube0.pe0: has not returned"});
  CHECK(found.of("sip1.cube0.pe0") ==
        Words{"sip1.cube0.pe0 recv E ← sip1.cube1.pe0 send W: never issued, and no kernel runs there"});
  CHECK(found.waits("rank 1"));
}

TEST_CASE("Host waits: of a collective that all have called none is missing") {
  const Found found = deadlock_of(first_launches_then_reduces, stuck_allreduce());
  CAPTURE(to_string(found.graph));
  CHECK(found.of("all_reduce #0 of rank 0") ==
        Words{"all_reduce #0 of rank 0 launch of waits_as_collective ← sip0.cube1.pe0: has not returned"});
  // The PE's second kernel waits for its first; cube 0 has returned from both.
  CHECK(found.of("launch #0 of rank 0") ==
        Words{"launch #0 of rank 0 launch of returns_at_once ← sip0.cube1.pe0: has not begun, "
              "another kernel runs"});
  CHECK(std::ranges::none_of(found.edges,
                             [](const std::string& why) { return why.find("called") != std::string::npos; }));
  CHECK(found.of("main") == Words{"main ← rank 0: has not ended"});
}

TEST_CASE("Host waits: PEs in a barrier wait for the one in a queue") {
  const Found found = deadlock_of(first_launches_alone);
  CAPTURE(to_string(found.graph));
  CHECK(found.of("sip0.cube1.pe0") == Words{"sip0.cube1.pe0 barrier 1 ← sip0.cube0.pe0: has not come"});
  REQUIRE(find_cycle(found.graph).size() == 2);
  CHECK(found.graph.edges[find_cycle(found.graph)[0]].why ==
        "sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued");
}
