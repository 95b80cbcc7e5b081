// A path's wait at a busy unit counts as work of the requests before; its own work counts as its own.
#include <algorithm>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/tl/kernel.hpp"

#include "runs.hpp"

namespace kbsim::test::causes::busy_test {
namespace {

struct Args {
  Ptr x;
};

// Two operations that don't need each other, on one engine: the second waits for the first.
Task<> one_after_the_other(TL& tl, Args args) {
  const Tile a = tl.full({64, 64}, 1.0, f16);
  const Tile first = a + a;
  const Tile second = a * a;
  co_await tl.store(args.x, second);
}
KBSIM_KERNEL(one_after_the_other, "two operations of one engine");

// 16 packets of 256 B.
Task<> stores(TL& tl, Args args) { co_await tl.store(args.x, tl.full({32, 64}, 1.0, f16)); }
KBSIM_KERNEL(stores, "a store of many packets");

// 2048 packets, then enough operations that the moments of equal packets are kept as one.
Task<> stores_then_works(TL& tl, Args args) {
  co_await tl.store(args.x, tl.full({512, 512}, 1.0, f16));
  Tile x = tl.full({1}, 1.0, f32);
  for (int i = 0; i < 40'000; ++i) x = x + 1.0;
  co_await tl.sync();
}
KBSIM_KERNEL(stores_then_works, "a store of very many packets before other work");

Task<> launches(host::Rank& main, std::string kernel) {
  const topology::DPPolicy one{.num_cubes = 1, .num_pes = 1};
  const host::Tensor x = co_await main.torch.zeros({512, 512}, f16, {.dp = one});
  co_await main.launch(kernel, x, Args{x.ptr()});
}

Explanation launch_of(const std::string& kernel) {
  const hw::ModelCatalog catalog;
  host::Session session{
      config::load_machine({.file = KBSIM_SOURCE_DIR "/configs/topology.yaml",
                            .overrides = {"system.sips.count=1", "sip.cube_mesh.w=1", "sip.cube_mesh.h=1"},
                            .catalog = catalog,
                            .folders = {}}),
      config::load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml").resolve("ring_allreduce_tcm"),
      {.simulation = {.causes = true}, .replay_threads = 1}};
  const explain::OpMarks marks{session.sim(), session.log()};
  host::World world;
  host::Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(launches(main, kernel)));
  session.run();
  for (const hw::OrderRecord& order : hw::host_of(session.machine()).orders()) {
    if (order.kernel_name == kernel)
      return explain::explain(kernel, explain::path_to(order.why, order.sent, session.machine(), &marks),
                              session.machine(), &marks);
  }
  throw UsageError{"there is no such launch"};
}

Share reason(const Explanation& one, const std::string& name) {
  for (const Share& share : one.reasons) {
    if (share.name == name) return share;
  }
  return {.name = name};
}

const explain::OpShare& op(const Explanation& one, const std::string& what) {
  const auto found = std::ranges::find(one.ops, what, &explain::OpShare::what);
  REQUIRE(found != one.ops.end());
  return *found;
}

}  // namespace

// 64 elements take 1 ns, and each operation 4 ns more: the fill and the product are the path's own.
TEST_CASE("Path: what waits for an engine that works for others: that is a busy engine, its own is work") {
  const Time each = 4_ns + 64 * 64 / 64 * 1_ns;
  const Explanation one = launch_of("one_after_the_other");
  CHECK(reason(one, "busy engine").time == each);
  CHECK(reason(one, "busy engine").count == 1);
  CHECK(reason(one, "engine work").time == 2 * each);
  CHECK(reason(one, "engine work").count == 2);
  CHECK(op(one, "fill f16 [64, 64]").time == each + 4_ns);  // with its dispatch
  CHECK(op(one, "mul f16 [64, 64]").time == each);
  CHECK(op(one, "add f16 [64, 64]").time == each);
  CHECK(op(one, "add f16 [64, 64]").line.empty());  // the line that waits is another
}

// A memory takes 1.25 ns for each of them, at 80 % of 256 GB/s.
TEST_CASE(
    "Path: the last packet of a store has its own time at the memory's port, and waits for the others") {
  constexpr Time kPacket{1250};
  for (const auto& [kernel, packets] : {std::pair{"stores", 16}, std::pair{"one_after_the_other", 32},
                                        std::pair{"stores_then_works", 2048}}) {
    CAPTURE(kernel);
    const Explanation one = launch_of(kernel);
    CHECK(reason(one, "memory port").time == kPacket);
    CHECK(reason(one, "memory port").count == 1);
    CHECK(reason(one, "busy memory port").time == (packets - 1) * kPacket);
    CHECK(reason(one, "busy memory port").count == packets - 1);
  }
}

TEST_CASE("Path: alone on its machine, a launch and its store wait for no link") {
  const Explanation one = launch_of("stores");
  CHECK(reason(one, "busy link").count == 0);
  CHECK(reason(one, "serialization").count > 0);
  CHECK(reason(one, "engine work").time == 4_ns + 32_ns);
  CHECK(reason(one, "busy engine").count == 0);
}

}  // namespace kbsim::test::causes::busy_test
