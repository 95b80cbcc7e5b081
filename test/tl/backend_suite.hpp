#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/kernel.hpp"

/// What every PE backend must do, whatever it is: the same kernels run on each.
namespace kbsim::test {

constexpr std::int64_t kRow = 64;  // elements of a PE's memory

/// `mine` holds kRow elements of f16: 100 * the PE's cube + 0, 1, 2, ...
struct BackendArgs {
  Ptr mine;
};
using BackendKernel = Task<> (*)(TL&, BackendArgs);

struct BackendOutcome {
  std::vector<double> memory;  // both rows, if nothing failed
  std::string error;
  ExitCode exit = ExitCode::ok;
};

/// Runs `first` on PE 0 of cube 0 and `second` on PE 0 of cube 1, which lies to its E, with so many slots of
/// 128 bytes each way. The world has one SIP, two cubes and two PEs a cube.
using RunPair = std::function<BackendOutcome(BackendKernel first, BackendKernel second, int slots)>;

struct BackendCase {
  const char* says;
  void (*check)(const RunPair& run);
};

namespace backend_suite {

inline Task<> idle(TL&, BackendArgs) { co_return; }

// ---- memory

inline Task<> doubles(TL& tl, BackendArgs args) {
  auto loading = tl.load(args.mine, {kRow}, f16);
  const Tile x = co_await loading;
  const Tile again = co_await loading;
  co_await tl.store(args.mine, x + again);
}

inline Task<> loads_before_it_stores(TL& tl, BackendArgs args) {
  const Tile before = co_await tl.load(args.mine, {kRow / 2}, f16);
  co_await tl.store(args.mine, tl.zeros({kRow / 2}, f16));
  co_await tl.store(args.mine + kRow / 2, before);
}

inline Task<> tells_its_place(TL& tl, BackendArgs args) {
  co_await tl.store(args.mine, tl.full({1}, tl.program_id(0), f16));
  co_await tl.store(args.mine + 1, tl.full({1}, tl.program_id(1), f16));
  co_await tl.store(args.mine + 2, tl.full({1}, tl.program_id(2), f16));
  co_await tl.store(args.mine + 3, tl.full({1}, tl.num_programs(0), f16));
  co_await tl.store(args.mine + 4, tl.full({1}, tl.num_programs(1), f16));
  co_await tl.store(args.mine + 5, tl.full({1}, tl.num_programs(2), f16));
}

// The row as 8 x 8: its lower right corner of 3 x 3, padded, to the front of a tensor of 4 rows.
inline Task<> moves_a_corner(TL& tl, BackendArgs args) {
  const auto from = tl.make_desc({.base = args.mine, .shape = {8, 8}, .block = {4, 4}, .pad = Pad::neg_inf});
  const auto to = tl.make_desc({.base = args.mine, .shape = {4, 8}, .block = {4, 4}});
  const Tile corner = co_await from.load({5, 5});
  co_await to.store({0, 0}, corner);
  const Tile beyond = co_await from.load({8, 0});
  co_await to.store({3, 6}, beyond);
}

inline void blocks(const RunPair& run) {
  const BackendOutcome outcome = run(moves_a_corner, idle, 1);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) {
    const std::size_t row = i / 8;
    const std::size_t column = i % 8;
    double expected = static_cast<double>(i);
    if (row < 4 && column < 4)
      expected = row < 3 && column < 3 ? static_cast<double>((row + 5) * 8 + column + 5) : -HUGE_VAL;
    if (row == 3 && column >= 6) expected = -HUGE_VAL;
    CHECK(outcome.memory[i] == expected);
  }
}

// The row is A [4, 8] and B [8, 2] of which A is streamed; relu(2 A B - 3000) and A B go back over it.
inline Task<> multiplies(TL& tl, BackendArgs args) {
  const Tile b = co_await tl.load(args.mine + 32, {8, 2}, f16);
  const Ref a = tl.ref(args.mine, {4, 8}, f16);
  const Ref out = tl.ref(args.mine + 48, {4, 2}, f16);
  const Tile shift = tl.full({2}, -3000.0, f32);
  co_await tl.composite(
      {.a = a, .b = b, .out = out, .epilogue = {Step::scale(2.0), Step::bias(shift), Step::relu()}});
  const Tile product = co_await tl.composite({.a = a, .b = b, .dtype = f16, .depth = 1});
  co_await tl.store(args.mine + 56, tl.reshape(product, {8}));
}

inline void composites(const RunPair& run) {
  const BackendOutcome outcome = run(multiplies, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t m = 0; m < 4; ++m) {
    for (std::size_t n = 0; n < 2; ++n) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 8; ++k) sum += static_cast<double>((m * 8 + k) * (32 + k * 2 + n));
      const double rounded = outcome.memory[56 + m * 2 + n];
      CHECK(std::abs(rounded - sum) <= sum / 2048);  // f16
      const double expected = std::max(0.0, 2.0 * sum - 3000.0);
      CHECK(std::abs(outcome.memory[48 + m * 2 + n] - expected) <= expected / 2048);
    }
  }
}

// The place of the first number above 40, and the sum of a doubling until it exceeds 1000.
inline Task<> searches(TL& tl, BackendArgs args) {
  const Tile row = co_await tl.load(args.mine, {kRow}, f16);
  int found = 0;
  for (double number = 0.0; number <= 40.0; ++found) number = co_await tl.item(row, {found});
  Tile x = tl.full({1}, 3.0, f32);
  int rounds = 0;
  for (double number = 3.0; number <= 1000.0; ++rounds) {
    x += x;
    number = co_await tl.item(x);
  }
  co_await tl.sync();
  co_await tl.store(args.mine, tl.full({1}, found, f16));
  co_await tl.store(args.mine + 1, tl.full({1}, rounds, f16));
}

inline void items(const RunPair& run) {
  const BackendOutcome outcome = run(searches, searches, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  CHECK(outcome.memory[0] == 42.0);  // it had seen 41 at place 41
  CHECK(outcome.memory[1] == 9.0);   // 3 * 2^9 = 1536
  CHECK(outcome.memory[kRow] == 1.0);
}

// Halves come and go at once, awaited together.
inline Task<> swaps_halves(TL& tl, BackendArgs args) {
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

inline void waits(const RunPair& run) {
  const BackendOutcome outcome = run(swaps_halves, swaps_halves, 2);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) {
    const auto other = static_cast<double>((i + kRow / 2) % kRow);
    CHECK(outcome.memory[i] == 100.0 + other);
    CHECK(outcome.memory[kRow + i] == other);
  }
}

// i / 3 of i from 0 on, in f32, toward zero into f16 and to nearest; and the bits of the first as i16.
inline Task<> casts(TL& tl, BackendArgs args) {
  const Tile x = tl.arange(0, kRow / 4).to(f32) / 3.0;
  const Tile down = x.to(f16, Round::rtz);
  const Tile bits = down.bitcast(DType::i16);
  co_await tl.store(args.mine, down);
  co_await tl.store(args.mine + kRow / 4, x.to(f16));
  co_await tl.store(args.mine + kRow / 2, (bits & 1).to(f16));
  co_await tl.store(args.mine + 3 * kRow / 4, bits.bitcast(f16));
}

inline void roundings(const RunPair& run) {
  const BackendOutcome outcome = run(casts, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow / 4; ++i) {
    const double x = static_cast<double>(static_cast<float>(i) / 3.0F);
    const double spacing = i == 0 ? 1.0 : std::ldexp(1.0, std::ilogb(x) - 10);
    const double down = std::floor(x / spacing);
    CHECK(outcome.memory[i] == down * spacing);
    CHECK(outcome.memory[kRow / 4 + i] == std::nearbyint(x / spacing) * spacing);
    CHECK(outcome.memory[kRow / 2 + i] == std::fmod(down, 2.0));
    CHECK(outcome.memory[3 * kRow / 4 + i] == down * spacing);
  }
}

inline void memory(const RunPair& run) {
  const BackendOutcome outcome = run(doubles, loads_before_it_stores, 2);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) CHECK(outcome.memory[i] == 2.0 * static_cast<double>(i));
  for (std::size_t i = 0; i < kRow / 2; ++i) {
    CHECK(outcome.memory[kRow + i] == 0.0);
    CHECK(outcome.memory[kRow + kRow / 2 + i] == 100.0 + static_cast<double>(i));
  }
}

inline void places(const RunPair& run) {
  const BackendOutcome outcome = run(tells_its_place, tells_its_place, 2);
  REQUIRE(outcome.error.empty());
  const auto first = outcome.memory.begin();
  CHECK(std::vector(first, first + 6) == std::vector<double>{0, 0, 0, 2, 2, 1});
  CHECK(std::vector(first + kRow, first + kRow + 6) == std::vector<double>{0, 1, 0, 2, 2, 1});
}

// ---- atomics

// Eight words, step by step: x; 2 x; at least 5; 1 where it was 5; with two bits turned; the last one -1.
inline Task<> updates_words(TL& tl, BackendArgs args) {
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

inline void atomics(const RunPair& run) {
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

// ---- signals

// Each PE has a buffer and a signal of its own row only, so that it tells itself.
inline Task<> tells_itself(TL& tl, BackendArgs args) {
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

inline void signals(const RunPair& run) {
  const BackendOutcome outcome = run(tells_itself, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(outcome.memory[16 + i] == static_cast<double>(8 + i));
    CHECK(outcome.memory[24 + i] == static_cast<double>(8 + i));
  }
  CHECK(outcome.memory[32] == 7);
}

inline Task<> puts_where_nothing_is(TL& tl, BackendArgs args) {
  const Ptr word{.va = 0x7700'0000, .dtype = i32};
  co_await tl.put({.dst = args.mine, .src = tl.zeros({1}, f16), .signal = word});
}
inline Task<> waits_where_nothing_is(TL& tl, BackendArgs) {
  co_await tl.wait_signal({.signal = {.va = 0x7700'0000, .dtype = i32}, .equal = 1});
}

inline Task<> waits_for_nobody(TL& tl, BackendArgs args) {
  const Ptr word{.va = args.mine.va, .dtype = i32};
  co_await tl.store(word, tl.zeros({1}, i32));
  co_await tl.atomic_add(word, 2);
  co_await tl.wait_signal({.signal = word, .at_least = 3});
}

// ---- gather

// Rows 0, 3, 6 and 1 of 8 x 8; the last 16 elements backward; and those that they, less 48, are numbers of.
inline Task<> gathers(TL& tl, BackendArgs args) {
  const Tile rows = (tl.arange(0, 4) * 3) % 8;
  const Tile picked = co_await tl.gather(args.mine, rows, {.row = 8, .rows = 8});
  const Tile backward = co_await tl.gather(args.mine, tl.reshape(63 - tl.arange(0, 16), {2, 8}));
  const Tile again = co_await tl.gather(args.mine, backward.to(i32) - 48);
  co_await tl.store(args.mine, picked);
  co_await tl.store(args.mine + 32, backward);
  co_await tl.store(args.mine + 48, again);
}

inline void gathering(const RunPair& run) {
  const BackendOutcome outcome = run(gathers, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < 32; ++i)
    CHECK(outcome.memory[i] == static_cast<double>((i / 8 * 3) % 8 * 8 + i % 8));
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(outcome.memory[32 + i] == static_cast<double>(63 - i));
    CHECK(outcome.memory[48 + i] == static_cast<double>(15 - i));
  }
}

inline Task<> gathers_beyond(TL& tl, BackendArgs args) {
  const Tile rows = tl.arange(6, 9);
  co_await tl.gather(args.mine, rows, {.row = 8, .rows = 8});
}
inline Task<> gathers_unmapped(TL& tl, BackendArgs args) {
  co_await tl.gather(args.mine, tl.full({1}, 1 << 20, i32), {.row = 8});
}

// ---- barriers

inline Task<> meets_thrice(TL& tl, BackendArgs args) {
  for (int i = 0; i < 3; ++i) co_await tl.barrier();
  co_await tl.store(args.mine, tl.full({1}, -1, f16));
}

inline Task<> meets_once(TL& tl, BackendArgs) { co_await tl.barrier(); }

inline void barriers(const RunPair& run) {
  const BackendOutcome outcome = run(meets_thrice, meets_thrice, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  CHECK(outcome.memory[0] == -1);
  CHECK(outcome.memory[kRow] == -1);
}

// ---- queues

inline Task<> sends_eight(TL& tl, BackendArgs) {
  for (int i = 0; i < 8; ++i) co_await tl.send({.dir = Dir::E, .src = tl.full({2}, i, f16), .tag = i});
}

inline Task<> receives_eight(TL& tl, BackendArgs args) {
  for (int i = 0; i < 8; ++i) {
    const Tile got = co_await tl.recv({.dir = Dir::W, .shape = {2}, .tag = i});
    co_await tl.store(args.mine + 2 * i, got);
  }
}

inline Task<> receives_eight_of_any(TL& tl, BackendArgs args) {
  for (int i = 0; i < 8; ++i) {
    const Tile got = co_await tl.recv({.shape = {2}, .tag = i});
    tl.check(got.from() == Dir::W, "W is the only queue");
    co_await tl.store(args.mine + 2 * i, got);
  }
}

inline Task<> sends_then_changes(TL& tl, BackendArgs args) {
  Tile x = co_await tl.load(args.mine, {kRow}, f16);
  auto sent = tl.send({.dir = Dir::E, .src = x});
  x += x;
  co_await sent;
  co_await tl.store(args.mine, x);
}

inline Task<> receives_into_memory(TL& tl, BackendArgs args) {
  const Tile got = co_await tl.recv({.dir = Dir::W, .shape = {kRow}});
  co_await tl.store(args.mine, got);
}

inline Task<> swaps(TL& tl, BackendArgs args) {
  const Dir other = tl.program_id(1) == 0 ? Dir::E : Dir::W;
  const Tile mine = co_await tl.load(args.mine, {kRow}, f16);
  auto sent = tl.send({.dir = other, .src = mine});
  const Tile got = co_await tl.recv({.dir = other, .shape = {kRow}});
  co_await sent;
  co_await tl.store(args.mine, got);
}

inline Task<> detaches_its_send(TL& tl, BackendArgs args) {
  const Tile mine = co_await tl.load(args.mine, {kRow}, f16);
  tl.send({.dir = Dir::E, .src = mine}).detach();
}

inline void order(const RunPair& run) {
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

inline void values(const RunPair& run) {
  for (const BackendKernel sends : {BackendKernel{sends_then_changes}, BackendKernel{detaches_its_send}}) {
    const BackendOutcome outcome = run(sends, receives_into_memory, 1);
    REQUIRE(outcome.error.empty());
    for (std::size_t i = 0; i < kRow; ++i) CHECK(outcome.memory[kRow + i] == static_cast<double>(i));
  }
}

inline void both_ways(const RunPair& run) {
  const BackendOutcome outcome = run(swaps, swaps, 1);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) {
    CHECK(outcome.memory[i] == 100.0 + static_cast<double>(i));
    CHECK(outcome.memory[kRow + i] == static_cast<double>(i));
  }
}

// ---- faults

inline Task<> sends_one(TL& tl, BackendArgs) {
  co_await tl.send({.dir = Dir::E, .src = tl.zeros({2}, f16), .tag = 5});
}
inline Task<> receives_another(TL& tl, BackendArgs) {
  co_await tl.recv({.dir = Dir::W, .shape = {4}, .tag = 6});
}
inline Task<> nowhere(TL& tl, BackendArgs) { co_await tl.send({.dir = {"up"}, .src = tl.zeros({2}, f16)}); }
inline Task<> to_anybody(TL& tl, BackendArgs) { co_await tl.send({.dir = {}, .src = tl.zeros({2}, f16)}); }
inline Task<> beyond_any_slot(TL& tl, BackendArgs) { co_await tl.recv({.shape = {65}}); }
inline Task<> beyond_a_slot(TL& tl, BackendArgs) {
  co_await tl.send({.dir = Dir::E, .src = tl.zeros({65}, f16)});
}
inline Task<> unmapped(TL& tl, BackendArgs) { co_await tl.load({.va = 0x7700'0000, .dtype = f16}, {8}, f16); }
inline Task<> drops_a_load(TL& tl, BackendArgs args) {
  static_cast<void>(tl.load(args.mine, {8}, f16));
  co_return;
}
inline Task<> overwrites_a_store(TL& tl, BackendArgs args) {
  auto stored = tl.store(args.mine, tl.zeros({8}, f16));
  stored = tl.store(args.mine + 8, tl.zeros({8}, f16));
  co_await stored;
}
inline Task<> adds_two_shapes(TL& tl, BackendArgs) {
  static_cast<void>(tl.zeros({8}, f16) + tl.zeros({9}, f16));
  co_return;
}
inline Task<> throws(TL&, BackendArgs) {
  throw std::runtime_error{"no such luck"};
  co_return;
}
inline Task<> refuses(TL&, BackendArgs) {
  throw Unsupported{"not on these PEs"};
  co_return;
}

inline void check_fails(const BackendOutcome& outcome, const std::vector<std::string>& says,
                        ExitCode exit = ExitCode::deadlock) {
  CAPTURE(outcome.error);
  CHECK(outcome.exit == exit);
  for (const std::string& part : says) {
    CHECK_MESSAGE(outcome.error.find(part) != std::string::npos, part);
  }
}

constexpr const char* kOnFirst = "kernel first on sip0.cube0.pe0";
constexpr const char* kOnSecond = "kernel second on sip0.cube1.pe0";
constexpr const char* kHere = "backend_suite.hpp:";

inline void queue_faults(const RunPair& run) {
  check_fails(
      run(sends_one, receives_another, 1),
      {kOnSecond, kHere, "recv from 'W' expects [4] f16 with tag 6, but [2] f16 with tag 5 was sent"});
  check_fails(run(nowhere, idle, 1),
              {kOnFirst, kHere, "send: no queue 'up' on sip0.cube0.pe0; installed: E"});
  check_fails(run(to_anybody, idle, 1), {kOnFirst, kHere, "send: needs a direction"});
  check_fails(run(beyond_any_slot, idle, 1), {kOnFirst, kHere, "recv '': 130 B do not fit a slot of 128 B"});
  check_fails(run(beyond_a_slot, idle, 1),
              {kOnFirst, kHere, "send 'E': 130 B do not fit a slot of 128 B; send in chunks"});
}

inline void memory_faults(const RunPair& run) {
  check_fails(
      run(unmapped, idle, 1),
      {kOnFirst, kHere, "load of 16 B at 0x77000000: ", "0x77000000 is not mapped", "nearest mapping: 0x"});
}

inline Task<> adds_where_nothing_is(TL& tl, BackendArgs) {
  co_await tl.atomic_add({.va = 0x7700'0000, .dtype = i32}, 1);
}

inline void atomic_faults(const RunPair& run) {
  check_fails(run(adds_where_nothing_is, idle, 1),
              {kOnFirst, kHere, "atomic_add of 4 B at 0x77000000: ", "0x77000000 is not mapped"});
}

inline void signal_faults(const RunPair& run) {
  check_fails(run(puts_where_nothing_is, idle, 1),
              {kOnFirst, kHere, "signal of put of 4 B at 0x77000000: ", "0x77000000 is not mapped"});
  check_fails(run(waits_where_nothing_is, idle, 1),
              {kOnFirst, kHere, "wait_signal of 4 B at 0x77000000: ", "0x77000000 is not mapped"});
}

inline void gather_faults(const RunPair& run) {
  check_fails(run(gathers_beyond, idle, 1),
              {kOnFirst, kHere, "gather: the index at [2] is 8, but there are 8 rows"});
  check_fails(run(gathers_unmapped, idle, 1),
              {kOnFirst, kHere, "gather, row 1048576, of 16 B at 0x", " is not mapped"});
}

inline Task<> checks_its_row(TL& tl, BackendArgs args) {
  const Tile row = co_await tl.load(args.mine, {2, kRow / 2}, f16);
  tl.check_all(row < 64, "numbers are small");
  tl.check_all(row < 36, "numbers are smaller");
  tl.check_all(row - row, "never come to");
}

inline void checks(const RunPair& run) {
  check_fails(run(checks_its_row, idle, 1), {"sip0.cube0.pe0", kHere, "check_all: numbers are smaller: ",
                                             "element [1, 4] of bool [2, 32] is false"});
}

inline void dropped(const RunPair& run) {
  check_fails(run(drops_a_load, idle, 1),
              {kOnFirst, kHere, "load was never awaited; co_await it, or detach() it"});
  check_fails(run(overwrites_a_store, idle, 1), {kOnFirst, kHere, "store was never awaited"});
}

inline void own_faults(const RunPair& run) {
  check_fails(run(adds_two_shapes, idle, 1), {kOnFirst, kHere, "add: ", "[8]", "[9]"});
  check_fails(run(throws, idle, 1), {kOnFirst, "no such luck"});
  check_fails(run(idle, refuses, 1), {kOnSecond, "not on these PEs"}, ExitCode::unsupported);
}

// ---- deadlock

inline Task<> receives_first(TL& tl, BackendArgs args) {
  const Dir other = tl.program_id(1) == 0 ? Dir::E : Dir::W;
  const Tile got = co_await tl.recv({.dir = other, .shape = {kRow}});
  co_await tl.send({.dir = other, .src = got});
  co_await tl.store(args.mine, got);
}

inline Task<> sends_two(TL& tl, BackendArgs) {
  co_await tl.send({.dir = Dir::E, .src = tl.zeros({2}, f16)});
  co_await tl.send({.dir = Dir::E, .src = tl.zeros({2}, f16)});
}

inline Task<> detaches_a_recv(TL& tl, BackendArgs) {
  tl.recv({.dir = Dir::W, .shape = {2}}).detach();
  co_return;
}

inline void deadlock(const RunPair& run) {
  check_fails(run(receives_first, receives_first, 1),
              {"deadlock at ", "first on sip0.cube0.pe0 waits for event recv E since ",
               "second on sip0.cube1.pe0 waits for event recv W since ", kHere,
               "\ncycle:\n  sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued\n"
               "  sip0.cube1.pe0 recv W ← sip0.cube0.pe0 send E: never issued\n",
               "\nqueues:\n"
               "  sip0.cube0.pe0 E with sip0.cube1.pe0 W: slots 1 my_head 0 peer_tail 0 peer_head 0 taken 0 "
               "my_tail 0 sends_waiting 0 recvs_waiting 1\n"});
  check_fails(run(sends_two, idle, 1), {"first on sip0.cube0.pe0 waits for event send E since ", kHere,
                                        "\nwaits:\n  sip0.cube0.pe0 send E ← sip0.cube1.pe0 recv W: never "
                                        "issued, and no kernel runs there\n"});
  check_fails(run(idle, detaches_a_recv, 1),
              {"second on sip0.cube1.pe0 waits for event recv W since ", kHere});
}

inline void barrier_deadlock(const RunPair& run) {
  check_fails(run(meets_thrice, meets_once, 1),
              {"deadlock at ", "first on sip0.cube0.pe0 waits for event barrier 2 since ", kHere,
               "\nwaits:\n  sip0.cube0.pe0 barrier 2 ← sip0.cube1.pe0: has ended without it",
               "\nbarriers:\n  barrier 2: sip0.cube0.pe0 has come; missing: sip0.cube1.pe0"});
  check_fails(run(meets_once, receives_first, 1),
              {"\ncycle:\n  sip0.cube1.pe0 recv W ← sip0.cube0.pe0 send E: never issued\n"
               "  sip0.cube0.pe0 barrier 1 ← sip0.cube1.pe0: has not come\n",
               "\nbarriers:\n  barrier 1: sip0.cube0.pe0 has come; missing: sip0.cube1.pe0"});
}

inline void signal_deadlock(const RunPair& run) {
  check_fails(run(waits_for_nobody, idle, 1),
              {"deadlock at ", "first on sip0.cube0.pe0 waits for event wait_signal at 0x",
               " for at least 3 since ", kHere, "\n  sip0.cube0.pe0 wait_signal at 0x",
               " for at least 3 ← nobody is known: no put to it is under way"});
}

// ---- engines

// Columns 4 to 7 of the 8 x 8 numbers lie above their row's mean.
inline Task<> computes(TL& tl, BackendArgs args) {
  const Tile loaded = co_await tl.load(args.mine, {kRow}, f16);
  const Tile x = tl.reshape(loaded, {8, 8});
  const Tile place = tl.arange(0, 8);
  const Tile unit = tl.where(tl.eq(tl.unsqueeze(place, 1), place), 1.0, 0.0).to(f16);
  const Tile same = tl.trans(tl.dot(unit, tl.trans(x)));
  const Tile mean = tl.sum(x.to(f32), {.axis = 1, .keep_dims = true}) / 8;
  const Tile result = tl.where(x > mean, same + 1, -same);
  co_await tl.store(args.mine, tl.reshape(result.to(f16), {kRow}));
}

inline void engines(const RunPair& run) {
  const BackendOutcome outcome = run(computes, idle, 1);
  REQUIRE(outcome.error == "");
  for (std::size_t i = 0; i < kRow; ++i) {
    const auto x = static_cast<double>(i);
    CHECK(outcome.memory[i] == (i % 8 >= 4 ? x + 1 : -x));
  }
}

}  // namespace backend_suite

inline const std::vector<BackendCase>& backend_cases() {
  static const std::vector<BackendCase> cases{
      {"what is loaded stays what it was; what is stored is there", backend_suite::memory},
      {"atomics give what was there and leave what they say", backend_suite::atomics},
      {"an atomic where nothing is mapped is told by its name", backend_suite::atomic_faults},
      {"a put is there before its signal, which wakes who waits for it", backend_suite::signals},
      {"a signal where nothing is mapped is told by the call's name", backend_suite::signal_faults},
      {"a signal that never comes is a deadlock that names word and value", backend_suite::signal_deadlock},
      {"a gather gives the rows that a tile names, be they computed or loaded", backend_suite::gathering},
      {"a gather of what isn't there names the index", backend_suite::gather_faults},
      {"the PEs of a launch meet as often as they like", backend_suite::barriers},
      {"a PE that doesn't come to a barrier is named by those who stand in it",
       backend_suite::barrier_deadlock},
      {"shapes, comparisons, reductions and products give the numbers they say", backend_suite::engines},
      {"a kernel knows its PE, cube and SIP, and how many there are", backend_suite::places},
      {"tiles come in the order of their sends, be there one slot or many", backend_suite::order},
      {"a send keeps what it was given, awaited or detached", backend_suite::values},
      {"both ends may send first", backend_suite::both_ways},
      {"a composite is a product with its epilogue, into memory or a tile", backend_suite::composites},
      {"what a kernel does may depend on numbers that it asks for", backend_suite::items},
      {"several may be awaited at once, a recv's Pending kept", backend_suite::waits},
      {"casts go to the nearest or toward zero, and bits stay bits", backend_suite::roundings},
      {"a check of a tile that doesn't hold is a fault of the kernel, with its line and the element",
       backend_suite::checks},
      {"blocks are padded at the edges, and written only inside", backend_suite::blocks},
      {"a tile that isn't asked for, a direction that isn't there, a payload beyond a slot",
       backend_suite::queue_faults},
      {"an address that isn't mapped is named with the nearest that is", backend_suite::memory_faults},
      {"what is dropped without an await is a fault when the kernel ends", backend_suite::dropped},
      {"what a kernel throws is told with its name and PE, and keeps its exit code",
       backend_suite::own_faults},
      {"a deadlock says who waits for what, where", backend_suite::deadlock},
  };
  return cases;
}

}  // namespace kbsim::test
