// Queues between two PEs.
#include "suite.hpp"

namespace kbsim::test {
namespace {

Task<> sends_eight(TL& tl, BackendArgs) {
  for (int i = 0; i < 8; ++i) co_await tl.send({.dir = Dir::E, .src = tl.full({2}, i, f16), .tag = i});
}

Task<> receives_eight(TL& tl, BackendArgs args) {
  for (int i = 0; i < 8; ++i) {
    const Tile got = co_await tl.recv({.dir = Dir::W, .shape = {2}, .tag = i});
    co_await tl.store(args.mine + 2 * i, got);
  }
}

Task<> receives_eight_of_any(TL& tl, BackendArgs args) {
  for (int i = 0; i < 8; ++i) {
    const Tile got = co_await tl.recv({.shape = {2}, .tag = i});
    tl.check(got.from() == Dir::W, "W is the only queue");
    co_await tl.store(args.mine + 2 * i, got);
  }
}

void order(const RunPair& run) {
  for (const BackendKernel receives : {BackendKernel{receives_eight}, BackendKernel{receives_eight_of_any}}) {
    for (const int slots : {1, 2, 8}) {
      CAPTURE(slots);
      const BackendOutcome outcome = run(sends_eight, receives, slots);
      CAPTURE(outcome.error);
      REQUIRE(outcome.error.empty());
      for (std::size_t i = 0; i < 16; ++i) CHECK(outcome.memory[kRow + i] == static_cast<double>(i / 2));
    }
  }
}

Task<> sends_then_changes(TL& tl, BackendArgs args) {
  Tile x = co_await tl.load(args.mine, {kRow}, f16);
  auto sent = tl.send({.dir = Dir::E, .src = x});
  x += x;
  co_await sent;
  co_await tl.store(args.mine, x);
}

Task<> receives_into_memory(TL& tl, BackendArgs args) {
  const Tile got = co_await tl.recv({.dir = Dir::W, .shape = {kRow}});
  co_await tl.store(args.mine, got);
}

Task<> detaches_its_send(TL& tl, BackendArgs args) {
  const Tile mine = co_await tl.load(args.mine, {kRow}, f16);
  tl.send({.dir = Dir::E, .src = mine}).detach();
}

void values(const RunPair& run) {
  for (const BackendKernel sends : {BackendKernel{sends_then_changes}, BackendKernel{detaches_its_send}}) {
    const BackendOutcome outcome = run(sends, receives_into_memory, 1);
    REQUIRE(outcome.error.empty());
    for (std::size_t i = 0; i < kRow; ++i) CHECK(outcome.memory[kRow + i] == static_cast<double>(i));
  }
}

Task<> swaps(TL& tl, BackendArgs args) {
  const Dir other = tl.program_id(1) == 0 ? Dir::E : Dir::W;
  const Tile mine = co_await tl.load(args.mine, {kRow}, f16);
  auto sent = tl.send({.dir = other, .src = mine});
  const Tile got = co_await tl.recv({.dir = other, .shape = {kRow}});
  co_await sent;
  co_await tl.store(args.mine, got);
}

void both_ways(const RunPair& run) {
  const BackendOutcome outcome = run(swaps, swaps, 1);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) {
    CHECK(outcome.memory[i] == 100.0 + static_cast<double>(i));
    CHECK(outcome.memory[kRow + i] == static_cast<double>(i));
  }
}

// Halves are sent and received at one time, awaited together.
Task<> swaps_halves(TL& tl, BackendArgs args) {
  const Dir other = tl.program_id(1) == 0 ? Dir::E : Dir::W;
  auto low = tl.load(args.mine, {kRow / 2}, f16);
  auto high = tl.load(args.mine + kRow / 2, {kRow / 2}, f16);
  co_await tl.wait(low, high);
  const Tile first = co_await low;
  const Tile second = co_await high;
  auto sent = tl.send({.dir = other, .src = first});
  auto sent_too = tl.send({.dir = other, .src = second});
  auto got = tl.recv_async({.dir = other, .shape = {kRow / 2}});
  auto got_too = tl.recv_async({.dir = other, .shape = {kRow / 2}});
  co_await tl.wait(sent, got, sent_too, got_too);
  const Tile third = co_await got;
  const Tile fourth = co_await got_too;
  co_await tl.store(args.mine, fourth);
  co_await tl.store(args.mine + kRow / 2, third);
}

void waits(const RunPair& run) {
  const BackendOutcome outcome = run(swaps_halves, swaps_halves, 2);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) {
    const auto other = static_cast<double>((i + kRow / 2) % kRow);
    CHECK(outcome.memory[i] == 100.0 + other);
    CHECK(outcome.memory[kRow + i] == other);
  }
}

Task<> swaps_in_memory(TL& tl, BackendArgs args) {
  const Dir other = tl.program_id(1) == 0 ? Dir::E : Dir::W;
  auto sent = tl.send({.dir = other, .src = args.mine, .shape = {kRow / 2}});
  const Tile got = co_await tl.recv({.dir = other, .shape = {kRow / 2}, .dst = args.mine + kRow / 2});
  tl.check(got.empty(), "it is in memory");
  co_await sent;
}

// One slot: each tile must leave it before the next arrives.
Task<> sends_from_memory_in_order(TL& tl, BackendArgs args) {
  auto first = tl.send({.dir = Dir::E, .src = args.mine, .shape = {16}});
  auto second = tl.send({.dir = Dir::E, .src = tl.full({16}, 1000.0, f16)});
  auto third = tl.send({.dir = Dir::E, .src = args.mine + 16, .shape = {16}});
  auto fourth = tl.send({.dir = Dir::E, .src = tl.full({16}, 2000.0, f16)});
  co_await tl.wait(first, second, third, fourth);
}

Task<> receives_four_into_memory(TL& tl, BackendArgs args) {
  auto first = tl.recv({.dir = Dir::W, .shape = {16}, .dst = args.mine});
  auto second = tl.recv({.shape = {16}, .dst = args.mine + 16});
  const Tile third = co_await tl.recv({.dir = Dir::W, .shape = {16}});
  co_await tl.store(args.mine + 32, third);
  tl.recv({.shape = {16}, .dst = args.mine + 48}).detach();
  co_await tl.wait(first, second);
}

void through_memory(const RunPair& run) {
  const BackendOutcome outcome = run(swaps_in_memory, swaps_in_memory, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow / 2; ++i) {
    CHECK(outcome.memory[i] == static_cast<double>(i));
    CHECK(outcome.memory[kRow / 2 + i] == 100.0 + static_cast<double>(i));
    CHECK(outcome.memory[kRow + kRow / 2 + i] == static_cast<double>(i));
  }
}

void in_memory_in_order(const RunPair& run) {
  for (const int slots : {1, 2, 8}) {
    CAPTURE(slots);
    const BackendOutcome outcome = run(sends_from_memory_in_order, receives_four_into_memory, slots);
    CAPTURE(outcome.error);
    REQUIRE(outcome.error.empty());
    for (std::size_t i = 0; i < 16; ++i) {
      CHECK(outcome.memory[kRow + i] == static_cast<double>(i));
      CHECK(outcome.memory[kRow + 16 + i] == 1000.0);
      CHECK(outcome.memory[kRow + 32 + i] == 16.0 + static_cast<double>(i));
      CHECK(outcome.memory[kRow + 48 + i] == 2000.0);
    }
  }
}

}  // namespace

std::vector<BackendCase> queue_cases() {
  return {
      {"tiles come in the order of their sends, be there one slot or many", order},
      {"a send keeps what it was given, awaited or detached", values},
      {"both ends may send first", both_ways},
      {"several may be awaited at once, a recv's Pending kept", waits},
      {"memory is sent and received into without a tile", through_memory},
      {"sends from memory and of tiles keep their order", in_memory_in_order},
  };
}

}  // namespace kbsim::test
