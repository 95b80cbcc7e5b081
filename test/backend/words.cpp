// Words that several PEs may change, and signals that PEs wait for.
#include <algorithm>

#include "suite.hpp"

namespace kbsim::test {
namespace {

// Eight words, step by step: x; 2 x; at least 5; 1 where it was 5; with two bits turned; the last one -1.
Task<> updates_words(TL& tl, BackendArgs args) {
  const Ptr words{.va = args.mine.va, .dtype = i32};
  co_await tl.store(words, tl.arange(0, 8));
  const Tile before_add = co_await tl.atomic_add(words, tl.arange(0, 8));
  const Tile before_max = co_await tl.atomic_max(words, tl.full({8}, 5, i32));
  const Tile before_cas = co_await tl.atomic_cas(words, tl.full({8}, 5, i32), tl.full({8}, 1, i32));
  const Tile before_xor = co_await tl.atomic_xor(words, tl.full({8}, 3, i32));
  const Tile before_xchg = co_await tl.atomic_xchg(words + 7, -1);
  const Tile after = co_await tl.load(words, {8}, i32);
  const Ptr out = args.mine + 16;
  co_await tl.store(out, before_add.to(f16));
  co_await tl.store(out + 8, before_max.to(f16));
  co_await tl.store(out + 16, before_cas.to(f16));
  co_await tl.store(out + 24, before_xor.to(f16));
  co_await tl.store(out + 32, after.to(f16));
  co_await tl.store(out + 40, before_xchg.to(f16));
}

void atomics(const RunPair& run) {
  const BackendOutcome outcome = run(updates_words, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < 8; ++i) {
    const auto x = static_cast<int>(i);
    const int most = std::max(2 * x, 5);
    const int exchanged = most == 5 ? 1 : most;
    CHECK(outcome.memory[16 + i] == x);
    CHECK(outcome.memory[24 + i] == 2 * x);
    CHECK(outcome.memory[32 + i] == most);
    CHECK(outcome.memory[40 + i] == exchanged);
    CHECK(outcome.memory[48 + i] == (x == 7 ? -1 : exchanged ^ 3));
  }
  CHECK(outcome.memory[56] == (14 ^ 3));
}

// Each PE's buffer and signal lie in its own row, so that it signals itself.
Task<> tells_itself(TL& tl, BackendArgs args) {
  const Ptr word{.va = args.mine.va, .dtype = i32};
  co_await tl.store(word, tl.zeros({1}, i32));
  auto three = tl.wait_signal({.signal = word, .at_least = 3});
  auto seven = tl.wait_signal({.signal = word, .equal = 7});
  const Tile data = co_await tl.load(args.mine + 8, {8}, f16);
  co_await tl.put({.dst = args.mine + 16, .src = data, .signal = word, .value = 5});
  co_await three;
  CHECK(!seven.done());
  co_await tl.put({.dst = args.mine + 24, .src = data, .signal = word, .value = 2, .op = SignalOp::add});
  co_await seven;
  co_await tl.wait_signal({.signal = word, .at_least = -1});
  const Tile left = co_await tl.load(word, {1}, i32);
  co_await tl.store(args.mine + 32, left.to(f16));
}

void signals(const RunPair& run) {
  const BackendOutcome outcome = run(tells_itself, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(outcome.memory[16 + i] == static_cast<double>(8 + i));
    CHECK(outcome.memory[24 + i] == static_cast<double>(8 + i));
  }
  CHECK(outcome.memory[32] == 7);
}

Task<> meets_thrice(TL& tl, BackendArgs args) {
  for (int i = 0; i < 3; ++i) co_await tl.barrier();
  co_await tl.store(args.mine, tl.full({1}, -1, f16));
}

void barriers(const RunPair& run) {
  const BackendOutcome outcome = run(meets_thrice, meets_thrice, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  CHECK(outcome.memory[0] == -1);
  CHECK(outcome.memory[kRow] == -1);
}

}  // namespace

std::vector<BackendCase> word_cases() {
  return {
      {"atomics give what was there and leave what they say", atomics},
      {"a put is there before its signal, which wakes who waits for it", signals},
      {"the PEs of a launch meet as often as they like", barriers},
  };
}

}  // namespace kbsim::test
