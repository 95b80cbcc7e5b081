// Faults of kernels: the report has the kernel, the PE, the line and the reason.
#include <limits>
#include <stdexcept>

#include "suite.hpp"

namespace kbsim::test {
namespace {

constexpr const char* kThisFile = "faults.cpp:";

Task<> sends_one(TL& tl, BackendArgs) {
  co_await tl.send({.dir = Dir::E, .src = tl.zeros({2}, f16), .tag = 5});
}

Task<> receives_another(TL& tl, BackendArgs) { co_await tl.recv({.dir = Dir::W, .shape = {4}, .tag = 6}); }

Task<> nowhere(TL& tl, BackendArgs) { co_await tl.send({.dir = {"up"}, .src = tl.zeros({2}, f16)}); }

Task<> to_anybody(TL& tl, BackendArgs) { co_await tl.send({.dir = {}, .src = tl.zeros({2}, f16)}); }

Task<> beyond_any_slot(TL& tl, BackendArgs) { co_await tl.recv({.shape = {65}}); }

Task<> beyond_a_slot(TL& tl, BackendArgs) { co_await tl.send({.dir = Dir::E, .src = tl.zeros({65}, f16)}); }

void queue_faults(const RunPair& run) {
  check_fails(
      run(sends_one, receives_another, 1),
      {kOnSecond, kThisFile, "recv from 'W' expects [4] f16 with tag 6, but [2] f16 with tag 5 was sent"});
  check_fails(run(nowhere, idle, 1),
              {kOnFirst, kThisFile, "send: no queue 'up' on sip0.cube0.pe0; installed: E"});
  check_fails(run(to_anybody, idle, 1), {kOnFirst, kThisFile, "send: needs a direction"});
  check_fails(run(beyond_any_slot, idle, 1),
              {kOnFirst, kThisFile, "recv '': 130 B do not fit a slot of 128 B"});
  check_fails(run(beyond_a_slot, idle, 1),
              {kOnFirst, kThisFile, "send 'E': 130 B do not fit a slot of 128 B; send in chunks"});
}

Task<> unmapped(TL& tl, BackendArgs) { co_await tl.load({.va = 0x7700'0000, .dtype = f16}, {8}, f16); }

void memory_faults(const RunPair& run) {
  check_fails(run(unmapped, idle, 1), {kOnFirst, kThisFile, "load of 16 B at 0x77000000: ",
                                       "0x77000000 is not mapped", "nearest mapping: 0x"});
}

Task<> sends_from_nowhere(TL& tl, BackendArgs) {
  co_await tl.send({.dir = Dir::E, .src = {.va = 0x7700'0000, .dtype = f16}, .shape = {8}});
}

Task<> receives_into_nowhere(TL& tl, BackendArgs) {
  co_await tl.recv({.dir = Dir::W, .shape = {8}, .dst = Ptr{.va = 0x7700'0000, .dtype = f16}});
}

Task<> sends_memory_nowhere(TL& tl, BackendArgs args) {
  co_await tl.send({.dir = {"up"}, .src = args.mine, .shape = {8}});
}

Task<> sends_a_slot_and_more(TL& tl, BackendArgs args) {
  co_await tl.send({.dir = Dir::E, .src = args.mine, .shape = {65}});
}

Task<> receives_into_another_dtype(TL& tl, BackendArgs args) {
  co_await tl.recv({.dir = Dir::W, .shape = {8}, .dtype = f32, .dst = args.mine});
}

Task<> receives_another_into_memory(TL& tl, BackendArgs args) {
  co_await tl.recv({.dir = Dir::W, .shape = {4}, .tag = 6, .dst = args.mine});
}

void queue_memory_faults(const RunPair& run) {
  check_fails(run(sends_from_nowhere, idle, 1),
              {kOnFirst, kThisFile, "send, load of 16 B at 0x77000000: ", "0x77000000 is not mapped"});
  check_fails(run(idle, receives_into_nowhere, 1),
              {kOnSecond, kThisFile, "recv, store of 16 B at 0x77000000: ", "0x77000000 is not mapped"});
  check_fails(run(sends_memory_nowhere, idle, 1), {kOnFirst, kThisFile, "send: no queue 'up' on "});
  check_fails(run(sends_a_slot_and_more, idle, 1), {kOnFirst, "130 B"});
  check_fails(run(idle, receives_into_another_dtype, 1),
              {kOnSecond, kThisFile, "recv: a tile of f32 into memory of f16"});
  check_fails(
      run(sends_one, receives_another_into_memory, 1),
      {kOnSecond, kThisFile, "recv from 'W' expects [4] f16 with tag 6, but [2] f16 with tag 5 was sent"});
}

Task<> copies_from_nowhere(TL& tl, BackendArgs args) {
  co_await tl.copy(args.mine, {.va = 0x7700'0000, .dtype = f16}, {8});
}

Task<> copies_to_nowhere(TL& tl, BackendArgs args) {
  co_await tl.copy({.va = 0x7700'0000, .dtype = f16}, args.mine, {8});
}

void copy_faults(const RunPair& run) {
  check_fails(run(copies_from_nowhere, idle, 1),
              {kOnFirst, kThisFile, "copy, load of 16 B at 0x77000000: ", "0x77000000 is not mapped"});
  check_fails(run(copies_to_nowhere, idle, 1),
              {kOnFirst, kThisFile, "copy, store of 16 B at 0x77000000: ", "0x77000000 is not mapped"});
}

Task<> adds_where_nothing_is(TL& tl, BackendArgs) {
  co_await tl.atomic_add({.va = 0x7700'0000, .dtype = i32}, 1);
}

void atomic_faults(const RunPair& run) {
  check_fails(run(adds_where_nothing_is, idle, 1),
              {kOnFirst, kThisFile, "atomic_add of 4 B at 0x77000000: ", "0x77000000 is not mapped"});
}

Task<> puts_where_nothing_is(TL& tl, BackendArgs args) {
  const Ptr word{.va = 0x7700'0000, .dtype = i32};
  co_await tl.put({.dst = args.mine, .src = tl.zeros({1}, f16), .signal = word});
}

Task<> waits_where_nothing_is(TL& tl, BackendArgs) {
  co_await tl.wait_signal({.signal = {.va = 0x7700'0000, .dtype = i32}, .equal = 1});
}

void signal_faults(const RunPair& run) {
  check_fails(run(puts_where_nothing_is, idle, 1),
              {kOnFirst, kThisFile, "signal of put of 4 B at 0x77000000: ", "0x77000000 is not mapped"});
  check_fails(run(waits_where_nothing_is, idle, 1),
              {kOnFirst, kThisFile, "wait_signal of 4 B at 0x77000000: ", "0x77000000 is not mapped"});
}

Task<> gathers_beyond(TL& tl, BackendArgs args) {
  const Tile rows = tl.arange(6, 9);
  co_await tl.gather(args.mine, rows, {.row = 8, .rows = 8});
}

Task<> gathers_unmapped(TL& tl, BackendArgs args) {
  co_await tl.gather(args.mine, tl.full({1}, 1 << 20, i32), {.row = 8});
}

Task<> loads_nowhere(TL& tl, BackendArgs) {
  co_await tl.load({.va = 0x7700'0000, .dtype = f16}, {2, 3}, f16, {.mask = tl.eq(tl.arange(0, 3), 1)});
}

Task<> stores_nowhere(TL& tl, BackendArgs) {
  co_await tl.store({.va = 0x7700'0000, .dtype = f16}, tl.zeros({2, 3}, f16), {.mask = tl.arange(0, 3) > 0});
}

void mask_faults(const RunPair& run) {
  check_fails(run(loads_nowhere, idle, 1),
              {kOnFirst, kThisFile, "load, element [0, 1], of 2 B at 0x77000002", " is not mapped"});
  check_fails(
      run(stores_nowhere, idle, 1),
      {kOnFirst, kThisFile, "store, elements [0, 1] to [0, 2], of 4 B at 0x77000002", " is not mapped"});
}

void gather_faults(const RunPair& run) {
  check_fails(run(gathers_beyond, idle, 1),
              {kOnFirst, kThisFile, "gather: the index at [2] is 8, but there are 8 rows"});
  check_fails(run(gathers_unmapped, idle, 1),
              {kOnFirst, kThisFile, "gather, row 1048576, of 16 B at 0x", " is not mapped"});
}

Task<> checks_its_row(TL& tl, BackendArgs args) {
  const Tile row = co_await tl.load(args.mine, {2, kRow / 2}, f16);
  tl.check_all(row < 64, "numbers are small");
  tl.check_all(row < 36, "numbers are smaller");
  tl.check_all(row - row, "never come to");
}

void checks(const RunPair& run) {
  check_fails(run(checks_its_row, idle, 1), {"sip0.cube0.pe0", kThisFile, "check_all: numbers are smaller: ",
                                             "element [1, 4] of bool [2, 32] is false"});
}

Task<> drops_a_load(TL& tl, BackendArgs args) {
  static_cast<void>(tl.load(args.mine, {8}, f16));
  co_return;
}

Task<> overwrites_a_store(TL& tl, BackendArgs args) {
  auto stored = tl.store(args.mine, tl.zeros({8}, f16));
  stored = tl.store(args.mine + 8, tl.zeros({8}, f16));
  co_await stored;
}

void dropped(const RunPair& run) {
  check_fails(run(drops_a_load, idle, 1),
              {kOnFirst, kThisFile, "load was never awaited; co_await it, or detach() it"});
  check_fails(run(overwrites_a_store, idle, 1), {kOnFirst, kThisFile, "store was never awaited"});
}

Task<> adds_two_shapes(TL& tl, BackendArgs) {
  static_cast<void>(tl.zeros({8}, f16) + tl.zeros({9}, f16));
  co_return;
}

Task<> throws(TL&, BackendArgs) {
  throw std::runtime_error{"no such luck"};
  co_return;
}

Task<> throws_number(TL&, BackendArgs) {
  throw 42;
  co_return;
}

Task<> refuses(TL&, BackendArgs) {
  throw Unsupported{"not on these PEs"};
  co_return;
}

void own_faults(const RunPair& run) {
  check_fails(run(adds_two_shapes, idle, 1), {kOnFirst, kThisFile, "add: ", "[8]", "[9]"});
  check_fails(run(throws, idle, 1), {kOnFirst, "no such luck"});
  check_fails(run(throws_number, idle, 1), {kOnFirst, "object of type int"});
  check_fails(run(idle, refuses, 1), {kOnSecond, "not on these PEs"}, ExitCode::unsupported);
}

Task<> asks_for_too_much(TL& tl, BackendArgs args) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 32;
  const Tile x = tl.zeros({1, 1}, f16);
  (void)tl.broadcast_to(x, {kHuge, kHuge});
  co_await tl.store(args.mine, x);
}

Task<> loads_too_much(TL& tl, BackendArgs args) { co_await tl.load(args.mine, {1 << 30, 1 << 20}, f16); }

Task<> loads_round_the_end(TL& tl, BackendArgs args) {
  const Ptr end = args.mine + -static_cast<std::int64_t>(args.mine.va / 2 + 4);  // 8 bytes below address 0
  co_await tl.load(end, {8}, f16);
}

Task<> goes_deep(TL& tl, BackendArgs) {
  const Tile x = tl.zeros({8, 8}, f16);
  co_await tl.composite({.a = x, .b = x, .depth = std::numeric_limits<int>::max()});
}

void sizes(const RunPair& run) {
  CHECK(run(goes_deep, idle, 1).error == "");
  check_fails(
      run(asks_for_too_much, idle, 1),
      {kOnFirst, kThisFile, "broadcast_to: [4294967296, 4294967296] has more elements than any memory"});
  check_fails(run(loads_too_much, idle, 1), {kOnFirst, kThisFile, "no TCM has more than 256 MiB"});
  check_fails(run(loads_round_the_end, idle, 1),
              {kOnFirst, kThisFile, "load of 16 B at 0x", " is not mapped"});
}

Task<> reshapes_for_long(TL& tl, BackendArgs args) {
  Tile x = tl.zeros({2, 32}, f16);
  for (int i = 0; i < 200'000; ++i) x = tl.reshape(x, {i % 2 == 0 ? 32 : 2, i % 2 == 0 ? 2 : 32});
  co_await tl.store(args.mine, x);
}

Task<> reshapes_for_ever(TL& tl, BackendArgs) {
  Tile x = tl.zeros({2, 32}, f16);
  for (;;) x = tl.reshape(x, {64});
  co_return;
}

Task<> names_for_ever(TL& tl, BackendArgs) {
  for (;;) const auto r = tl.range("again");
  co_return;
}

Task<> prints_for_ever(TL& tl, BackendArgs) {
  const Tile x = tl.zeros({1}, f16);
  for (;;) tl.print("x", x);
  co_return;
}

Task<> looks_for_ever(TL& tl, BackendArgs) {
  while (tl.clock() >= Time{}) {}
  co_return;
}

void endless(const RunPair& run) {
  const BackendOutcome long_way = run(reshapes_for_long, idle, 1);
  CHECK(long_way.error == "");
  for (const BackendKernel loop : {reshapes_for_ever, names_for_ever, prints_for_ever, looks_for_ever}) {
    check_fails(run(loop, idle, 1),
                {kOnFirst, kThisFile, "the kernel has issued ", "is this an endless loop?"});
  }
}

}  // namespace

std::vector<BackendCase> fault_cases() {
  return {
      {"sizes that no memory has, and an address that wraps", sizes},
      {"an endless loop, even of what takes no time; a chain of views is let go at once", endless},
      {"a tile that isn't asked for, a direction that isn't there, a payload beyond a slot", queue_faults},
      {"an address that isn't mapped is named with the nearest that is", memory_faults},
      {"an atomic where nothing is mapped is told by its name", atomic_faults},
      {"a send from memory and a recv into it are told by their names", queue_memory_faults},
      {"a copy tells which of its ends isn't mapped", copy_faults},
      {"a signal where nothing is mapped is told by the call's name", signal_faults},
      {"a gather of what isn't there names the index", gather_faults},
      {"a true element of a mask where nothing is mapped is named", mask_faults},
      {"a check of a tile that doesn't hold is a fault of the kernel, with its line and the element", checks},
      {"what is dropped without an await is a fault when the kernel ends", dropped},
      {"what a kernel throws is told with its name and PE, and keeps its exit code", own_faults},
  };
}

}  // namespace kbsim::test
