#include "kbsim/ccl/plan_walk.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plans.hpp"

namespace kbsim::ccl::test::plan_walk_test {
namespace {

PlanChunk input(int index) { return {PlanBuffer::input, index}; }
PlanChunk scratch(int index) { return {PlanBuffer::scratch, index}; }

// Two ranks that send each other `chunks` chunks before they receive and add them.
Plan exchange(int chunks) {
  Plan plan{.name = "exchange", .chunks = chunks, .scratch_chunks = {chunks, chunks}};
  for (int rank = 0; rank < 2; ++rank) {
    PlanBlock block{.id = 0, .send = 1 - rank, .recv = 1 - rank};
    for (int i = 0; i < chunks; ++i) block.steps.push_back({.op = PlanOp::send, .src = input(i), .count = 1});
    for (int i = 0; i < chunks; ++i) {
      block.steps.push_back({.op = PlanOp::recv_reduce_copy, .src = input(i), .dst = input(i), .count = 1});
    }
    plan.blocks.push_back({block});
  }
  return plan;
}

// A ring of three ranks; all chunks go round at once, twice.
Plan ring() {
  Plan plan{.name = "ring", .collective = config::Collective::sendrecv, .scratch_chunks = {1, 1, 1}};
  for (int rank = 0; rank < 3; ++rank) {
    PlanBlock block{.id = 0, .send = (rank + 1) % 3, .recv = (rank + 2) % 3};
    block.steps = {{.op = PlanOp::send, .src = input(0), .count = 1},
                   {.op = PlanOp::recv_copy_send, .dst = scratch(0), .count = 1},
                   {.op = PlanOp::recv, .dst = input(0), .count = 1}};
    plan.blocks.push_back({block});
  }
  return plan;
}

}  // namespace

TEST_CASE("walk: a plan ends with as many slots as it sends ahead") {
  CHECK(walk(exchange(3), {.slots = 0}).empty());
  CHECK(walk(exchange(3), {.slots = 3}).empty());
  CHECK(walk(exchange(3), {.slots = 2}).size() == 2);
  CHECK(least_slots(exchange(3), true) == 3);
  CHECK(least_slots(exchange(1), true) == 1);
}

TEST_CASE("walk: a message that is sent on keeps its slot, where slots are kept") {
  CHECK(least_slots(ring(), true) == 2);
  CHECK(least_slots(ring(), false) == 1);
}

TEST_CASE("told_of: the circle of waits, by ranks, thread blocks and steps") {
  const Plan plan = exchange(2);
  CHECK(describe(plan, walk(plan, {.slots = 1})) ==
        "rank 0, thread block 0, step 1 (s) waits for a free slot on channel 0 of rank 1, thread block 0, "
        "step 1 "
        "(s);\n"
        "  rank 1, thread block 0, step 1 (s) waits for a free slot on channel 0 of rank 0, thread block 0, "
        "step 1 "
        "(s)");
  CHECK(describe(plan, std::vector<StuckStep>{}).empty());
}

TEST_CASE("judge: a missing or repeated part is reported with its chunk and its rank") {
  CHECK(judge(exchange(2)).right());
  Plan twice = exchange(1);
  twice.blocks[0][0].steps.push_back({.op = PlanOp::reduce, .src = input(0), .dst = input(0), .count = 1});
  CHECK(judge(twice).problems ==
        std::vector<std::string>{"chunk 0 of rank 0's output has chunk 0 of rank 0 2 times"});
  Plan lost = exchange(1);
  lost.blocks[1][0].steps[1].op = PlanOp::recv;
  CHECK(judge(lost).problems ==
        std::vector<std::string>{"chunk 0 of rank 1's output lacks chunk 0 of rank 1"});
  CHECK(judge(lost).wrong == 1);
  Plan unread = exchange(1);
  unread.blocks[0][0].steps[0].src = scratch(0);
  CHECK(judge(unread).problems == std::vector<std::string>{"chunk 0 of rank 1's output is never written"});
  CHECK(judge(unread).unwritten == 1);
  CHECK_THROWS_AS((void)judge(exchange(8), 10), Unsupported);
}

TEST_CASE("judge: a message that goes round a ring twice isn't the neighbour's") {
  CHECK(judge(ring()).problems.front() == "chunk 0 of rank 0's output lacks chunk 0 of rank 2");
}

TEST_CASE("plan_pes: thread blocks are on PE after PE; there must be enough of both") {
  Plan plan = exchange(1);
  plan.blocks[0].push_back({.id = 1});
  config::MachineSpec machine;
  machine.system.sips.count = 2;
  CHECK(plan_pes(plan, machine, 0) == std::vector<PeCoord>{{0, 0, 0}, {0, 0, 1}});
  plan.blocks[0].resize(static_cast<std::size_t>(machine.cubes_per_sip() * machine.pes_per_cube()) + 1);
  CHECK_THROWS_AS((void)plan_pes(plan, machine, 0), UsageError);
  machine.system.sips.count = 3;
  CHECK_THROWS_AS((void)plan_pes(plan, machine, 1), UsageError);
}

TEST_CASE(
    "chunk_elems: elements that the chunks don't divide are reported with the next number that they do") {
  const Plan plan{.file = "p.xml", .chunks = 6};
  CHECK(chunk_elems(plan, 18) == 3);
  CHECK_THROWS_WITH_AS(
      (void)chunk_elems(plan, 20),
      "p.xml: 20 elements aren't divisible by the plan's 6 chunks: n_elem must be a multiple "
      "of them, as by --set ccl.defaults.n_elem=24",
      UsageError);
}

}  // namespace kbsim::ccl::test::plan_walk_test
