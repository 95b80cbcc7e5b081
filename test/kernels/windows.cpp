// Building blocks of the collectives' loops: chunks, messages, windows, turns, loads ahead.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/kernels/lanes.hpp"
#include "kbsim/mock/world.hpp"
#include "kbsim/tl/kernel.hpp"

using namespace kbsim;
using namespace kbsim::collective;

namespace {

// Slices that follow one another and make up the whole, of sizes that differ by one at most, larger ones
// first.
void check_even(collective::Slice whole, const Slices& slices) {
  std::int64_t next = whole.first;
  for (const collective::Slice& slice : slices) {
    CHECK(slice.first == next);
    CHECK(slice.size <= slices.front().size);
    CHECK(slice.size >= slices.front().size - 1);
    next += slice.size;
  }
  CHECK(next == whole.first + whole.size);
}

struct AnyArgs {
  Ptr data;
  std::int64_t n = 0;
};

// Announces 0, 1, 2 and asks for 0, 2.
Task<> windows_out_of_order(TL& tl, AnyArgs args) {
  const Slices slices = cut({.first = 0, .size = args.n}, args.n / 3);
  Prefetch own{tl, args.data, slices, {.loads = 2}};
  const Tile first = co_await own.load(slices[0]);
  const Tile third = co_await own.load(slices[2]);
  co_await tl.store(args.data, third);
}
KBSIM_KERNEL(windows_out_of_order, "asks a Prefetch for another slice than the next");

}  // namespace

TEST_CASE("Chunks: any number of them makes up the whole, evenly, the larger ones first") {
  for (const std::int64_t size : {0, 1, 7, 1000}) {
    for (const int count : {1, 2, 3, 8}) {
      const collective::Slice whole{.first = 5, .size = size};
      Slices chunks;
      for (int i = 0; i < count; ++i) chunks.push_back(chunk_of(whole, i, count));
      check_even(whole, chunks);
      CHECK(chunks.front().size == (size + count - 1) / count);
    }
  }
}

TEST_CASE("Messages: as few as may be, none larger than a slot, and evenly") {
  for (const std::int64_t size : {0, 1, 99, 100, 101, 1234}) {
    const collective::Slice whole{.first = 3, .size = size};
    const Slices messages = cut(whole, 100);
    CHECK(messages.size() == static_cast<std::size_t>((size + 99) / 100));
    check_even(whole, messages);
  }
  CHECK(cut({.first = 3, .size = 1234}, 0) == Slices{{.first = 3, .size = 1234}});
}

TEST_CASE("Windows: hold what the TCM has room for beside messages on their way") {
  CollectiveArgs args;
  args.slot_elems = 1000;
  args.tcm_elems = 1600;  // a message: a 16th of it; half of it has room for one load beside seven messages
  const TcmBudget budget = budget_of(args);
  CHECK(budget.message == 100);
  CHECK(budget.loads == 1);
  CHECK(budget.held == 1600 - (1 + 7) * 100 - 8);

  const std::int64_t largest = budget.held * 4 / 2;  // two of four chunks
  const std::vector<Window> all = windows(args, 3 * largest, {.shares = 2, .of = 4});
  CHECK(all.size() == 3);
  for (const Window& window : all) CHECK(window.size == largest);
  CHECK(windows(args, 3 * largest + 1, {.shares = 2, .of = 4}).size() == 4);
  CHECK(windows(args, 0, {.shares = 2, .of = 4}).empty());

  args.tcm_elems = 0;  // no matter
  CHECK(windows(args, 1 << 30, {.shares = 2, .of = 4}).size() == 1);
}

TEST_CASE("Windows: a TCM without room for an element of everything is refused, with what is needed") {
  CollectiveArgs args;
  args.tcm_elems = 16;  // (1 + 7) messages of one element and 8 for rounding leave nothing
  CHECK_THROWS_WITH_AS((void)windows(args, 5, {.shares = 2}), doctest::Contains("needs 17 at once"),
                       UsageError);
  args.tcm_elems = 17;  // leave one
  CHECK(windows(args, 5, {.shares = 1}).size() == 5);
  CHECK_THROWS_WITH_AS((void)windows(args, 5, {.shares = 2}), doctest::Contains("needs 18 at once"),
                       UsageError);
}

TEST_CASE("Ring: a reduce-scatter combines backwards, the own chunk last") {
  const Window window{{.first = 10, .size = 8}, {}};
  const Ring ring{.position = 1, .size = 4};
  const Slices order{
      {.first = 10, .size = 2}, {.first = 16, .size = 2}, {.first = 14, .size = 2}, {.first = 12, .size = 2}};
  CHECK(ring.scatter_order(window) == order);
  CHECK(ring.chunk(window, 0) == Slices{order.back()});
}

TEST_CASE("Lanes: go on in turns, message by message; the one with more goes on alone") {
  const Ring alone{.position = 0, .size = 1};
  const Lanes lanes{{.ring = alone, .chunks = {cut({.first = 0, .size = 3}, 1)}},
                    {.ring = alone, .chunks = {cut({.first = 3, .size = 1}, 1)}}};
  std::vector<std::int64_t> order;
  for (const auto& [lane, message] : in_turns(lanes, 1)) order.push_back(message.first);
  CHECK(order == std::vector<std::int64_t>{0, 3, 1, 2});
}

TEST_CASE("Prefetch: another slice than the next is a fault of the kernel, with its line") {
  mock::World world{{}};
  const Ptr data = world.alloc(0, std::vector<double>(6, 1.0), f16);
  const auto run = [&] { world.run("windows_out_of_order", AnyArgs{.data = data, .n = 6}); };
  CHECK_THROWS_WITH_AS(run(), doctest::Contains("windows.cpp:41"), Error);
}
