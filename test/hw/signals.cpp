// Puts and signals in time: costs, and that a waiting PE asks once.
#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::signals_test {
namespace {

constexpr PeCoord kOne{0, 0, 0};
constexpr PeCoord kTwo{0, 0, 1};
constexpr Ptr kWord{.va = kVa, .dtype = i32};
constexpr Ptr kData{.va = kVa + 4096, .dtype = i32};
constexpr Time kDispatch = 4_ns;

struct TookArgs {
  std::int64_t n = 1;
  Time* took = nullptr;
};
using Kernel = Task<> (*)(TL&, TookArgs);

Task<> puts(TL& tl, TookArgs args) {
  const Tile x = tl.full({args.n}, 1, i32);
  co_await tl.sync();
  const Time start = tl.clock();
  co_await tl.put({.dst = kData, .src = x, .signal = kWord});
  *args.took = tl.clock() - start;
}

Task<> stores(TL& tl, TookArgs args) {
  const Tile x = tl.full({args.n}, 1, i32);
  co_await tl.sync();
  const Time start = tl.clock();
  co_await tl.store(kData, x);
  *args.took = tl.clock() - start;
}

Task<> exchanges(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  co_await tl.atomic_xchg(kWord, 1);
  *args.took = tl.clock() - start;
}

Task<> loads(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  co_await tl.load(kWord, {1}, i32);
  *args.took = tl.clock() - start;
}

Task<> waits(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  co_await tl.wait_signal({.signal = kWord, .at_least = 1});
  *args.took = tl.clock() - start;
}

// The request of the wait stands at the memory while the signal leaves.
Task<> tells_itself(TL& tl, TookArgs args) {
  auto published = tl.wait_signal({.signal = kWord, .at_least = 1});
  co_await tl.put({.dst = kData, .src = tl.zeros({args.n}, i32), .signal = kWord});
  co_await published;
}

// The second PE waits for long before the first puts.
Task<> one_puts_late(TL& tl, TookArgs args) {
  if (tl.program_id(0) == 1) {
    co_await tl.wait_signal({.signal = kWord, .at_least = 1});
    co_return;
  }
  (void)tl.zeros({64 * 1000}, f16);
  co_await tl.sync();
  co_await tl.put({.dst = kData, .src = tl.zeros({args.n}, i32), .signal = kWord});
}

Task<> one_puts_one_loads(TL& tl, TookArgs args) {
  if (tl.program_id(0) == 1) {
    co_await tl.load(kData, {1}, i32);
  } else {
    co_await tl.put({.dst = kData, .src = tl.zeros({args.n}, i32), .signal = kWord});
  }
}

Task<> on_both(Rig* rig, KernelCall kernel) {
  for (const PeCoord pe : {kOne, kTwo}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, kOne), 1_MiB);
  std::vector<PeCoord> both{kOne, kTwo};
  co_await rig->launch(std::move(both), std::move(kernel));
}

// The word has the values of `words`, look by look.
oplog::Evaluator looks(std::vector<double> words) {
  return [words = std::move(words), at = std::size_t{0}](const oplog::Operand&) mutable {
    return std::vector{words.at(at++)};
  };
}

Time took(Kernel kernel, std::int64_t n = 1, std::vector<double> words = {1},
          config::MachineSpec spec = small_machine()) {
  Time took{};
  Rig rig{std::move(spec)};
  rig.machine->set_evaluator(looks(std::move(words)));
  rig.run(map_and_launch(&rig, kOne, in_hbm(*rig.spec, kOne),
                         bind_kernel("kernel", kernel, TookArgs{.n = n, .took = &took})));
  rig.machine->fabric().audit();
  return took;
}

}  // namespace

TEST_CASE("Put: takes what a store and then an atomic take, with one dispatch") {
  for (const std::int64_t n : {1, 64, 1000, 5000}) {
    CAPTURE(n);
    CHECK(took(puts, n) == took(stores, n) + took(exchanges) - kDispatch);
  }
}

TEST_CASE("Signal: a word that is as asked for takes what its load does") {
  CHECK(took(waits) == took(loads));
}

TEST_CASE("Signal: one that stands at the memory takes no place among the packets in flight") {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_dma.attrs["max_outstanding"] = std::int64_t{1};
  (void)took(tells_itself, 1, {0, 1}, std::move(spec));
}

TEST_CASE("Signal: a waiting PE sends one request and gets one answer, however long it takes") {
  Rig rig{small_machine()};
  rig.machine->set_evaluator(looks({0, 1}));
  rig.machine->fabric().trace_messages();
  rig.run(on_both(&rig, bind_kernel("kernel", one_puts_late, TookArgs{})));
  int asked = 0;
  int answered = 0;
  for (const hw::MessageTrace& trace : rig.machine->fabric().traces()) {
    asked += trace.from == rig.pe(kTwo).dma && trace.to == rig.hbm(kOne) ? 1 : 0;
    answered += trace.from == rig.hbm(kOne) && trace.to == rig.pe(kTwo).tcm ? 1 : 0;
  }
  CHECK(asked == 1);
  CHECK(answered == 1);
}

TEST_CASE("Race: a load beside a put does, and a wait for its signal doesn't") {
  const auto races = [](Kernel kernel) {
    Rig rig{small_machine()};
    rig.machine->set_evaluator(looks({0, 1}));
    rig.machine->races().watch(oplog::RaceMode::warn);
    rig.run(on_both(&rig, bind_kernel("kernel", kernel, TookArgs{})));
    return rig.machine->races().reports();
  };
  CHECK(races(one_puts_late).empty());
  const auto beside_load = races(one_puts_one_loads);
  REQUIRE(beside_load.size() == 1);
  CHECK(beside_load[0].find("pe0, put of operation") != std::string::npos);
}

TEST_CASE("Signal: without an evaluator a wait is refused by name") {
  Time took{};
  Rig rig{small_machine()};
  CHECK_THROWS_WITH_AS(rig.run(map_and_launch(&rig, kOne, in_hbm(*rig.spec, kOne),
                                              bind_kernel("kernel", waits, TookArgs{.n = 1, .took = &took}))),
                       doctest::Contains("wait_signal needs numbers, and this run computes none"), Error);
}

}  // namespace kbsim::hw::test::signals_test
