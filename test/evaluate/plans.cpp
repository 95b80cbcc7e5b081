// Plans on the machine.
#include "kbsim/ccl/plans.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/evaluate/ccl_point.hpp"
#include "kbsim/evaluate/collective_data.hpp"
#include "kbsim/host/plan_record.hpp"
#include "kbsim/sim/wait_graph.hpp"

#include "support.hpp"

namespace kbsim::evaluate::test::plans_test {
namespace {

using namespace kbsim::evaluate::test;
using config::Collective;

struct Exported {
  Collective collective;
  const char* kernel;
};
constexpr std::array<Exported, 7> kExported{{{Collective::all_reduce, "chunked_ring_allreduce"},
                                             {Collective::all_reduce, "ring_allreduce"},
                                             {Collective::all_gather, "ring_all_gather"},
                                             {Collective::reduce_scatter, "ring_reduce_scatter"},
                                             {Collective::broadcast, "ring_broadcast"},
                                             {Collective::reduce, "ring_reduce"},
                                             {Collective::all_to_all, "ring_all_to_all"}}};

struct OfSeveralQueues {
  const char* kernel;
  const char* topology;
};
constexpr std::array<OfSeveralQueues, 4> kOfSeveralQueues{{{"bidirectional_ring_allreduce", "ring_1d"},
                                                           {"mesh_allreduce", "mesh_2d"},
                                                           {"tree_allreduce", "tree_binary"},
                                                           {"torus_allreduce", "torus_2d"}}};

// The plan as an algorithm, on some 50 elements.
CclPoint point(const ccl::Plan& plan, int slots, Bytes slot_size) {
  config::CclSpec ccl;
  ccl.defaults.n_slots = slots;
  ccl.defaults.slot_size = slot_size;
  ccl::declare_plan(plan.name + ".xml", plan, ccl);
  CclPoint all{
      .machine = machine(plan.ranks()), .algorithm = ccl.algorithms.at(plan.name + ".xml"), .size = 480_B};
  all.machine.system.sips.topology = config::SipTopology::full;
  return all;
}

// With room for more thread blocks.
CclPoint with_eight_pes(CclPoint point) {
  point.machine.sip.cube_mesh = {.w = 2, .h = 2};
  return point;
}

std::int64_t wrong(const CclPoint& point) { return simulate(point).at("nwrong").to_number<std::int64_t>(); }

// Two ranks that exchange chunks by one thread block, and add them by another, from scratch.
ccl::Plan with_waits(bool in_place) {
  using enum PlanBuffer;
  const PlanBuffer to = in_place ? input : output;
  ccl::Plan plan{.name = "waits", .in_place = in_place, .chunks = 4, .scratch_chunks = {4, 4}};
  for (int rank = 0; rank < 2; ++rank) {
    PlanBlock mover{.id = 0, .send = 1 - rank, .recv = 1 - rank};
    mover.steps = {{.op = PlanOp::send, .src = {input, 1}, .count = 3},
                   {.op = PlanOp::recv, .dst = {scratch, 1}, .count = 3},
                   {.op = PlanOp::send, .src = {input, 0}, .count = 1},
                   {.op = PlanOp::recv, .dst = {scratch, 0}, .count = 1}};
    PlanBlock adder{.id = 1};
    const auto after = [](PlanStep step, int of) {
      step.after_block = 0;
      step.after_step = of;
      return step;
    };
    if (!in_place)
      adder.steps.push_back({.op = PlanOp::copy, .src = {input, 0}, .dst = {output, 0}, .count = 4});
    adder.steps.push_back(after({.op = PlanOp::reduce, .src = {scratch, 1}, .dst = {to, 1}, .count = 3}, 1));
    adder.steps.push_back(after({.op = PlanOp::reduce, .src = {scratch, 0}, .dst = {to, 0}, .count = 1}, 3));
    plan.blocks.push_back({mover, adder});
  }
  ccl::mark_awaited(plan);
  return plan;
}

}  // namespace

TEST_CASE("Plan: one that names no collective is held against what its steps make of the inputs") {
  using enum PlanBuffer;
  ccl::Plan plan{.name = "next", .collective = Collective::sendrecv, .custom = true, .in_place = false};
  plan.chunks = 2;
  plan.scratch_chunks = {0, 0};
  plan.blocks = {{{.id = 0, .send = 1, .steps = {{.op = PlanOp::send, .src = {input, 1}, .count = 1}}}},
                 {{.id = 0,
                   .recv = 0,
                   .steps = {{.op = PlanOp::recv, .dst = {output, 0}, .count = 1},
                             {.op = PlanOp::reduce, .src = {input, 1}, .dst = {output, 0}, .count = 1}}}}};
  const CclPoint at = point(plan, 1, 4096_B);
  const CollectiveData data{at.machine, at.algorithm, {.n_elem = 4}};
  const auto first = data.input(0).to_doubles();
  const auto second = data.input(1).to_doubles();
  CHECK(data.expected(0, 0) == std::vector<double>(4));  // nothing arrives there
  CHECK(data.expected(1, 0) == std::vector<double>{first[2] + second[2], first[3] + second[3], 0.0, 0.0});
  CHECK(wrong(at) == 0);
  plan.in_place = true;
  CHECK(wrong(point(plan, 1, 4096_B)) == 0);
}

TEST_CASE("Plan: one that names no collective has inputs and outputs of any length") {
  using enum PlanBuffer;
  ccl::Plan plan{.name = "gather", .collective = Collective::sendrecv, .custom = true, .in_place = false};
  plan.chunks = 3;
  plan.scratch_chunks = {0, 0};
  plan.in_chunks = {1, 3};
  plan.out_chunks = {2, 0};
  plan.blocks = {{{.id = 0,
                   .recv = 1,
                   .steps = {{.op = PlanOp::copy, .src = {input, 0}, .dst = {output, 0}, .count = 1},
                             {.op = PlanOp::recv, .dst = {output, 1}, .count = 1}}}},
                 {{.id = 0, .send = 0, .steps = {{.op = PlanOp::send, .src = {input, 2}, .count = 1}}}}};
  const CclPoint at = point(plan, 1, 4096_B);
  const CollectiveData data{at.machine, at.algorithm, {.n_elem = 3}};
  CHECK(data.expected(0, 0) ==
        std::vector<double>{data.input(0).to_doubles()[0], data.input(1).to_doubles()[2], 0.0});
  CHECK(data.expected(1, 0) == std::vector<double>(3));
  CHECK(wrong(at) == 0);
}

TEST_CASE("Plans: an algorithm of ours, written as a plan, is right with every number of slots") {
  for (const auto& [collective, kernel] : kExported) {
    CAPTURE(kernel);
    const ccl::Plan plan = host::plan_of_kernel(over_ring(collective, kernel), 3);
    CHECK(ccl::judge(plan).right());
    const int least = ccl::least_slots(plan, true);
    CHECK(wrong(point(plan, std::max(1, least), 64_B)) == 0);
    CHECK(wrong(point(plan, 4 + least, 4096_B)) == 0);
  }
}

TEST_CASE(
    "Plans: a kernel with several queues has a thread block for each, right with every number of slots") {
  for (const auto& [kernel, topology] : kOfSeveralQueues) {
    for (const int ranks : {2, 4}) {
      CAPTURE(kernel);
      CAPTURE(ranks);
      config::AlgorithmSpec algorithm = over_ring(Collective::all_reduce, kernel);
      algorithm.topology = topology;
      const ccl::Plan plan = host::plan_of_kernel(algorithm, ranks);
      CHECK(ccl::judge(plan).right());
      CHECK((ranks == 2 ||
             std::ranges::any_of(plan.blocks, [](const auto& blocks) { return blocks.size() > 1; })));
      const int least = ccl::least_slots(plan, true);
      CHECK(wrong(with_eight_pes(point(plan, std::max(1, least), 64_B))) == 0);
      CHECK(wrong(with_eight_pes(point(plan, 4 + least, 4096_B))) == 0);
    }
  }
}

TEST_CASE("Plans: a kernel whose values are wrong, or whose queue isn't there, is refused with the reason") {
  CHECK_THROWS_WITH_AS(
      (void)host::plan_of_kernel(over_ring(Collective::all_reduce, "hello_send"), 3),
      doctest::Contains("isn't written as a plan: on 3 ranks chunk 0 of rank 0's output lacks"), Unsupported);
  config::AlgorithmSpec unwired = over_ring(Collective::sendrecv, "hello_send");
  unwired.topology = "tree_binary";
  CHECK_THROWS_WITH_AS((void)host::plan_of_kernel(unwired, 2),
                       doctest::Contains("the kernel uses queue 'E' on sip0.cube0.pe0; its topology gives "),
                       UsageError);
}

TEST_CASE("Plans: vectors of several PEs of a rank are its tensor; what adds them up names no collective") {
  config::AlgorithmSpec all_pes = over_ring(Collective::all_reduce, "hierarchical_allreduce");
  all_pes.topology = "hierarchical_3level";
  all_pes.mapper = "all_pes";
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    const ccl::Plan plan = host::plan_of_kernel(all_pes, ranks);
    CHECK(plan.custom);
    CHECK(plan.chunks == 8 * ranks);  // 8 PEs, each with a vector of `ranks` chunks
    const auto outputs = ccl::outputs_of(plan);
    for (int rank = 0; rank < ranks; ++rank) {
      for (int chunk = 0; chunk < plan.chunks; ++chunk) {
        const ccl::PlanSum& sum = outputs[static_cast<std::size_t>(rank)][static_cast<std::size_t>(chunk)];
        REQUIRE(sum->size() == static_cast<std::size_t>(8 * ranks));
        for (const ccl::Contribution& part : *sum) {
          CHECK(part.times == 1);
          CHECK(part.chunk % ranks == chunk % ranks);
        }
      }
    }
    CclPoint at = point(plan, ccl::least_slots(plan, true), 64_B);
    at.machine.sip.cube_mesh = {.w = 4, .h = 2};
    CHECK(wrong(at) == 0);
    at.algorithm.n_slots = 4 + at.algorithm.n_slots;
    CHECK(wrong(at) == 0);
  }
}

TEST_CASE("Plans: thread blocks wait for each other's steps, in every turn; chunks of a message lie apart") {
  for (const bool in_place : {true, false}) {
    CAPTURE(in_place);
    const ccl::Plan plan = with_waits(in_place);
    REQUIRE(ccl::judge(plan).right());
    CHECK(wrong(point(plan, 1, 24_B)) == 0);    // a turn for 4 elements of each chunk
    CHECK(wrong(point(plan, 1, 4096_B)) == 0);  // one turn
    for (const Reduction op : {Reduction::max, Reduction::avg}) {
      CclPoint other = point(plan, 2, 24_B);
      other.op = op;
      CHECK(wrong(other) == 0);
    }
  }
}

TEST_CASE("Plans: an average is divided where there is an output: of all ranks, of the root, of a share") {
  for (const auto& [collective, kernel] : kExported) {
    if (!ccl::collective(collective).combines) continue;
    CAPTURE(kernel);
    const ccl::Plan plan = host::plan_of_kernel(over_ring(collective, kernel), 3);
    CclPoint sum = point(plan, 4, 64_B);
    CclPoint average = sum;
    average.op = Reduction::avg;
    CHECK(wrong(average) == 0);
    const boost::json::object row = simulate(average);
    CHECK(row.at("time").to_number<double>() > simulate(sum).at("time").to_number<double>());
    average.repeats.check = false;
    CHECK(simulate(average).at("time") == row.at("time"));
  }
}

TEST_CASE("Plans: an unchecked run takes the same time") {
  CclPoint checked = point(with_waits(true), 2, 24_B);
  CclPoint unchecked = checked;
  unchecked.repeats.check = false;
  const boost::json::object row = simulate(unchecked);
  CHECK(row.at("time") == simulate(checked).at("time"));
  CHECK(row.at("nwrong").is_null());
}

TEST_CASE("Plans: a slot that holds less than an element of each chunk of a message is reported") {
  CHECK_THROWS_WITH_AS(
      (void)simulate(point(with_waits(true), 1, 4_B)),
      doctest::Contains("a message of 3 chunks is of as many elements at least, and a slot of 4 B "
                        "holds 2 of f16; raise slot_size"),
      Error);
}

TEST_CASE("Plans: a deadlock for want of slots names the steps") {
  ccl::Plan plan{.name = "ahead", .chunks = 3, .scratch_chunks = {0, 0}};
  for (int rank = 0; rank < 2; ++rank) {
    PlanBlock block{.id = 5, .send = 1 - rank, .recv = 1 - rank, .channel = 2};
    for (int i = 0; i < 3; ++i)
      block.steps.push_back({.op = PlanOp::send, .src = {PlanBuffer::input, i}, .count = 1});
    for (int i = 0; i < 3; ++i) {
      const PlanChunk chunk{PlanBuffer::input, i};
      block.steps.push_back({.op = PlanOp::recv_reduce_copy, .src = chunk, .dst = chunk, .count = 1});
    }
    plan.blocks.push_back({block});
  }
  CHECK(ccl::judge(plan).right());
  CHECK(wrong(point(plan, 3, 4096_B)) == 0);
  CHECK_THROWS_WITH_AS(
      (void)simulate(point(plan, 2, 4096_B)),
      doctest::Contains("rank 0, thread block 5, step 2 (s) waits for a free slot on channel 2 of "
                        "rank 1, thread block 5, step 2 (s)"),
      DeadlockReport);
}

TEST_CASE("declare_plan: a plan is an algorithm; another one of the same name has its own queues") {
  config::CclSpec ccl;
  ccl::declare_plan("twice.xml", with_waits(true), ccl);
  const config::AlgorithmSpec first = ccl.algorithms.at("twice.xml");
  REQUIRE(ccl::plan_of(first) != nullptr);
  CHECK(ccl::plan_of(first)->in_place);
  ccl::declare_plan("twice.xml", with_waits(true), ccl);
  CHECK(ccl.algorithms.at("twice.xml").topology == first.topology);
  ccl::declare_plan("twice.xml", with_waits(false), ccl);
  CHECK(!ccl::plan_of(ccl.algorithms.at("twice.xml"))->in_place);
  CHECK(ccl::plan_of({}) == nullptr);
}

}  // namespace kbsim::evaluate::test::plans_test
