// Slack where it is known: of the shorter of two branches.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/config/load.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/tl/kernel.hpp"

#include "runs.hpp"
#include "slow_math.hpp"

namespace kbsim::test::causes::slack_test {
namespace {

struct BranchArgs {
  Ptr x;
};

// A long product beside a short sum and its cast; the last one waits for both.
Task<> two_branches(TL& tl, BranchArgs args) {
  const Tile a = tl.full({64, 64}, 1.0, f16);
  const Tile product = tl.dot(a, a);
  const Tile sum = a + a;
  co_await tl.store(args.x, (product + sum).to(f16));
}
KBSIM_KERNEL(two_branches, "a product beside a sum");

struct FillArgs {
  Ptr x;
  std::int64_t times = 1;
};

Task<> fills_often(TL& tl, FillArgs args) {
  for (std::int64_t i = 0; i < args.times; ++i) co_await tl.store(args.x, tl.full({32}, 1.0, f16));
}
KBSIM_KERNEL(fills_often, "stores one after the other");

const topology::DPPolicy kOne{.num_cubes = 1, .num_pes = 1};

Task<> branches(host::Rank& main, int) {
  const host::Tensor x = co_await main.torch.zeros({64, 64}, f16, {.dp = kOne});
  co_await main.launch("two_branches", x, BranchArgs{x.ptr()});
}

// One launch per package. The program rests once the earlier one is reported.
Task<> uneven(host::Rank& main, Time rest) {
  const host::Tensor few = co_await main.torch.zeros({1, 32}, f16, {.dp = kOne});
  main.ahbm.set_device(1);
  const host::Tensor many = co_await main.torch.zeros({1, 32}, f16, {.dp = kOne});
  auto sooner = main.launch("fills_often", few, FillArgs{few.ptr(), 2});
  auto later = main.launch("fills_often", many, FillArgs{many.ptr(), 12});
  co_await sooner;
  if (rest > Time{0}) co_await main.session().sim().delay(rest);
  co_await later;
}

class Known {
 public:
  explicit Known(bool explains)
      : session_{config::load_machine({.file = KBSIM_SOURCE_DIR "/configs/topology.yaml",
                                       .overrides = {"system.sips.count=2", "sip.cube_mesh.w=1",
                                                     "sip.cube_mesh.h=1", slow_math()},
                                       .catalog = catalog_,
                                       .folders = {}}),
                 config::load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml").resolve("ring_allreduce_tcm"),
                 {.simulation = {.causes = explains, .why = {.all = explains ? std::size_t{1} << 22U : 0}},
                  .replay_threads = 1}},
        marks_{session_.sim(), session_.log()} {}

  template <class Args>
  Time run(Task<> (*program)(host::Rank&, Args), Args args) {
    host::World world;
    host::Rank main{session_, world, 0};
    (void)session_.sim().spawn("main", main.run(program(main, args)));
    session_.run();
    return session_.sim().now();
  }
  host::Session& session() { return session_; }
  const explain::OpMarks& marks() { return marks_; }
  explain::CauseGraph graph() { return {session_.sim().causes()->current(), Time{0}, session_.machine()}; }

 private:
  hw::ModelCatalog catalog_;
  host::Session session_;
  explain::OpMarks marks_;
};

oplog::Op op_of(oplog::OpLog& log, oplog::OpKind kind) {
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) {
    for (const oplog::Op& op : log.ops(lane)) {
      if (op.kind == kind) return op;
    }
  }
  throw UsageError{"there is no such operation"};
}

Time branches_with(oplog::ValueId op, Time by) {
  const SlowOp slow{op, by};
  return Known{false}.run(branches, 0);
}

}  // namespace

TEST_CASE("Slack: the shorter of two branches has the difference, and beyond it each picosecond counts") {
  Known known{true};
  const Time total = known.run(branches, 0);
  const oplog::Op product = op_of(known.session().log(), oplog::OpKind::dot);
  const oplog::Op sum = op_of(known.session().log(), oplog::OpKind::binary);
  const Time cast = 4_ns + 64 * 64 * 1_ps;  // of the sum, to the product's f32
  const Time difference = product.end - sum.end - cast;
  REQUIRE(difference > 1_ns);
  const std::vector<explain::OpSlack> slacks = known.graph().op_slacks(known.marks(), 100);
  const auto found = std::ranges::find(slacks, known.marks().name(sum.id), &explain::OpSlack::op);
  REQUIRE(found != slacks.end());
  CHECK(found->what == "add f16 [64, 64]");
  CHECK(found->ended == sum.end);
  CHECK(found->margin.end == difference);
  CHECK(found->margin.steady == difference);
  CHECK(branches_with(sum.id, Time{0}) == total);
  CHECK(branches_with(sum.id, difference) == total);
  CHECK(branches_with(sum.id, difference + 1_ps) == total + 1_ps);
  CHECK(branches_with(sum.id, difference + 1_ns) == total + 1_ns);
}

TEST_CASE("Slack: of the sooner of two launches, and none of the later one") {
  Known known{true};
  const Time total = known.run(uneven, Time{0});
  std::vector<hw::OrderRecord> launches = hw::host_of(known.session().machine()).orders();
  std::erase_if(launches, [](const hw::OrderRecord& order) { return order.kernel_name != "fills_often"; });
  REQUIRE(launches.size() == 2);
  const explain::CauseGraph graph = known.graph();
  const Time difference = launches[1].reported - launches[0].reported;
  REQUIRE(difference > 1_ns);
  const explain::Margin margin = graph.margin_of(launches[0].why);
  CHECK(margin.end == difference);
  CHECK(margin.steady == difference);
  CHECK(graph.margin_of(launches[1].why).end == Time{0});
  CHECK(Known{false}.run(uneven, difference) == total);
  CHECK(Known{false}.run(uneven, difference + 1_ps) == total + 1_ps);
  CHECK(Known{false}.run(uneven, difference + 1_ns) == total + 1_ns);
}

}  // namespace kbsim::test::causes::slack_test
