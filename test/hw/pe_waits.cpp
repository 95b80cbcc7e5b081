#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::pe_waits_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};
constexpr Time kDispatch = 4_ns;

struct SeenArgs {
  Time* first;
  Time* second;
};

Task<> syncs_engines(TL& tl, SeenArgs args) {
  *args.first = tl.clock();
  static_cast<void>(tl.zeros({6400}, f16));  // 4 + 100 ns
  co_await tl.sync();
  *args.second = tl.clock();
}

Task<> syncs_when_idle(TL& tl, SeenArgs args) {
  *args.first = tl.clock();
  co_await tl.sync();
  *args.second = tl.clock();
}

Task<> syncs_a_store(TL& tl, SeenArgs args) {
  const Tile tile = tl.zeros({1 << 15}, f16);
  auto stored = tl.store(kHere, tile);
  co_await tl.sync();
  *args.first = tl.clock();
  CHECK(stored.done());
  co_await stored;
  *args.second = tl.clock();
}

Task<> asks(TL& tl, SeenArgs args) {
  const Tile tile = tl.full({6400}, 2.0, f32);
  *args.first = tl.clock();
  const double number = co_await tl.item(tile, {17});
  CHECK(number == 2.5);
  *args.second = tl.clock();
}

Task<> asks_when_ready(TL& tl, SeenArgs args) {
  const Tile tile = tl.full({1}, 2.0, f32);
  co_await tl.sync();
  *args.first = tl.clock();
  const double number = co_await tl.item(tile);
  CHECK(number == 2.5);
  *args.second = tl.clock();
}

Task<> issues_forever(TL& tl, SeenArgs) {
  Tile tile = tl.zeros({64}, f16);
  for (;;) tile += tile;
  co_return;
}

Task<> loads_forever(TL& tl, SeenArgs) {
  for (;;) co_await tl.load(kHere, {64}, f16);
}

struct Outcome {
  Time first{};
  Time second{};
  std::string error;
};

Outcome run(Task<> (*kernel)(TL&, SeenArgs), config::MachineSpec spec = small_machine(),
            oplog::Evaluator evaluator = {}) {
  Outcome outcome;
  Rig rig{std::move(spec)};
  rig.machine->set_evaluator(std::move(evaluator));
  try {
    rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe),
                           bind_kernel("kernel", kernel, SeenArgs{&outcome.first, &outcome.second})));
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace

TEST_CASE("sync: takes a dispatch, or until the engines are idle") {
  const Outcome idle = run(syncs_when_idle);
  CHECK(idle.second - idle.first == kDispatch);
  const Outcome busy = run(syncs_engines);
  CHECK(busy.second - busy.first == kDispatch + 4_ns + 100_ns);
}

TEST_CASE("sync: transfers that were started before are done") {
  const Outcome outcome = run(syncs_a_store);
  CHECK(outcome.error.empty());
  CHECK(outcome.first == outcome.second);
}

TEST_CASE("item: gives the number when its tile is ready, and costs a dispatch") {
  int asked = 0;
  const auto evaluator = [&asked](const oplog::Operand& element) {
    ++asked;
    CHECK(element.shape.elements() == 1);
    CHECK(element.dtype == f32);
    REQUIRE(element.slices.size() == 1);
    CHECK(element.slices[0].bytes == 4);
    CHECK((element.slices[0].offset == 17 * 4 || element.slices[0].offset == 0));
    return std::vector{2.5};
  };
  const Outcome waits = run(asks, small_machine(), evaluator);
  CHECK(waits.error.empty());
  CHECK(waits.second - waits.first == 4_ns + 100_ns);
  const Outcome ready = run(asks_when_ready, small_machine(), evaluator);
  CHECK(ready.second - ready.first == kDispatch);
  CHECK(asked == 2);
}

TEST_CASE("item: without an evaluator it is refused by name") {
  const std::string text = run(asks).error;
  CAPTURE(text);
  CHECK(text.find("item needs numbers, and this run computes none") != std::string::npos);
  CHECK(text.find("pe_waits.cpp:") != std::string::npos);
}

TEST_CASE("Fault: an endless loop is reported by its line, be it of unawaited commands or of loads") {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_cpu.attrs["max_commands"] = std::int64_t{1000};
  for (const auto kernel : {issues_forever, loads_forever}) {
    const std::string text = run(kernel, spec).error;
    CAPTURE(text);
    CHECK(text.find("kernel kernel on sip0.cube0.pe0 at ") != std::string::npos);
    CHECK(text.find("pe_waits.cpp:") != std::string::npos);
    CHECK(text.find("has issued 1000 commands: is this an endless loop?") != std::string::npos);
  }
}

}  // namespace kbsim::hw::test::pe_waits_test
