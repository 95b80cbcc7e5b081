// Composites that ask the scheduler, or an engine, at one time.
#include <doctest/doctest.h>

#include "kbsim/hw/pe/i_scheduler.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::composite_order_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
struct NoArgs {};

// All are issued at one time, if a command takes none. Each asks pe_math twice a tile.
Task<> several(TL& tl, NoArgs) {
  const Tile a = tl.zeros({96, 96}, f32);
  const Tile b = tl.zeros({64, 64}, f32);
  co_await tl.sync();
  const auto exp = Step::unary(oplog::UnaryOp::exp);
  auto first = tl.composite({.op = Op::add, .a = a, .b = a, .epilogue = {exp}, .depth = 3});
  auto second = tl.composite({.op = Op::mul, .a = b, .b = b, .epilogue = {Step::relu()}, .depth = 2});
  auto third = tl.composite({.op = Op::gemm, .a = a, .b = a, .epilogue = {exp, Step::relu()}, .depth = 2});
  co_await third;
  co_await second;
  co_await first;
}

struct Run {
  std::string digest;
  std::vector<std::pair<Time, Time>> composites;  // start and end, in the order of their ends
  friend bool operator==(const Run&, const Run&) = default;
};

Run run(std::optional<std::uint64_t> shuffle, std::int64_t dispatch) {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_cpu.attrs["dispatch_cycles"] = dispatch;
  Rig rig{spec, {.shuffle_ties = shuffle}};
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe), bind_kernel("several", several, NoArgs{})));
  Run result{.digest = to_string(rig.machine->digest())};
  for (const hw::CompositeRecord& record :
       rig.machine->at<hw::IScheduler>(rig.pe(kPe).scheduler).composites())
    result.composites.emplace_back(record.start, record.end);
  return result;
}

}  // namespace

TEST_CASE("Composites: of one time start in the kernel's order, and have the engines in that order") {
  for (const std::int64_t dispatch : {0, 4}) {
    const Run usual = run(std::nullopt, dispatch);
    REQUIRE(usual.composites.size() == 3);
    CHECK(usual.composites[0].first <= usual.composites[1].first);
    CHECK(usual.composites[1].first <= usual.composites[2].first);
    for (std::uint64_t shuffle = 1; shuffle <= 20; ++shuffle) {
      CAPTURE(dispatch);
      CAPTURE(shuffle);
      CHECK((run(shuffle, dispatch) == usual));
    }
  }
}

}  // namespace kbsim::hw::test::composite_order_test
