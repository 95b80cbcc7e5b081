// Memory and its contents.
#include <cmath>

#include "suite.hpp"

namespace kbsim::test {
namespace {

Task<> doubles(TL& tl, BackendArgs args) {
  auto loading = tl.load(args.mine, {kRow}, f16);
  const Tile x = co_await loading;
  const Tile again = co_await loading;
  co_await tl.store(args.mine, x + again);
}

Task<> loads_before_it_stores(TL& tl, BackendArgs args) {
  const Tile before = co_await tl.load(args.mine, {kRow / 2}, f16);
  co_await tl.store(args.mine, tl.zeros({kRow / 2}, f16));
  co_await tl.store(args.mine + kRow / 2, before);
}

void memory(const RunPair& run) {
  const BackendOutcome outcome = run(doubles, loads_before_it_stores, 2);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) CHECK(outcome.memory[i] == 2.0 * static_cast<double>(i));
  for (std::size_t i = 0; i < kRow / 2; ++i) {
    CHECK(outcome.memory[kRow + i] == 0.0);
    CHECK(outcome.memory[kRow + kRow / 2 + i] == 100.0 + static_cast<double>(i));
  }
}

// The row as 8 x 8: its lower right corner of 3 x 3, padded, to the front of a tensor of 4 rows.
Task<> moves_a_corner(TL& tl, BackendArgs args) {
  const auto from = tl.make_desc({.base = args.mine, .shape = {8, 8}, .block = {4, 4}, .pad = Pad::neg_inf});
  const auto to = tl.make_desc({.base = args.mine, .shape = {4, 8}, .block = {4, 4}});
  const Tile corner = co_await from.load({5, 5});
  co_await to.store({0, 0}, corner);
  const Tile beyond = co_await from.load({8, 0});
  co_await to.store({3, 6}, beyond);
}

void blocks(const RunPair& run) {
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

// The row as 8 x 8, transposed; then every third element of its first 24 to the even places of the last 16.
Task<> moves_by_strides(TL& tl, BackendArgs args) {
  const auto columns = tl.make_desc(
      {.base = args.mine, .shape = {8, 8}, .strides = {1, 8}, .block = {8, 16}, .pad = Pad::neg_inf});
  const auto thirds = tl.make_desc({.base = args.mine, .shape = {8}, .strides = {3}, .block = {8}});
  const auto evens = tl.make_desc({.base = args.mine + 48, .shape = {8}, .strides = {2}, .block = {8}});
  const Tile transposed = co_await columns.load({0, -4});
  const Tile third = co_await thirds.load({0});
  co_await tl.store(args.mine, tl.slice(transposed, {.axis = 1, .begin = 4, .end = 12}));
  co_await evens.store({0}, third);
}

void strides(const RunPair& run) {
  const BackendOutcome outcome = run(moves_by_strides, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) {
    const bool third = i >= 48 && i % 2 == 0;
    CHECK(outcome.memory[i] == static_cast<double>(third ? (i - 48) / 2 * 3 : i % 8 * 8 + i / 8));
  }
}

// The first half three elements on, onto itself; then the last four of the row to its front.
Task<> copies(TL& tl, BackendArgs args) {
  co_await tl.copy(args.mine + 3, args.mine, {kRow / 2});
  co_await tl.copy(args.mine, args.mine + (kRow - 4), {2, 2});
}

void copying(const RunPair& run) {
  const BackendOutcome outcome = run(copies, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) {
    const bool shifted = i >= 4 && i < kRow / 2 + 3;
    CHECK(outcome.memory[i] == static_cast<double>(i < 4 ? kRow - 4 + i : shifted ? i - 3 : i));
  }
}

// Gathers rows 0, 3, 6 and 1 of 8 x 8; the last 16 elements backward; and the elements at those values less
// 48.
Task<> gathers(TL& tl, BackendArgs args) {
  const Tile rows = (tl.arange(0, 4) * 3) % 8;
  const Tile picked = co_await tl.gather(args.mine, rows, {.row = 8, .rows = 8});
  const Tile backward = co_await tl.gather(args.mine, tl.reshape(63 - tl.arange(0, 16), {2, 8}));
  const Tile again = co_await tl.gather(args.mine, backward.to(i32) - 48);
  co_await tl.store(args.mine, picked);
  co_await tl.store(args.mine + 32, backward);
  co_await tl.store(args.mine + 48, again);
}

void gathering(const RunPair& run) {
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

// The row as 8 x 8 in 2 x 8 x 4: the columns 2 and 3 of each odd row, by a mask of one row of elements,
// beside -1; and a block that reaches 32 elements beyond the memory.
Task<> loads_by_mask(TL& tl, BackendArgs args) {
  const Tile odd = tl.reshape(tl.arange(0, 8) % 2, {8, 1});
  const Tile chosen = tl.reshape(tl.eq(odd, 1) & (tl.arange(0, 4) >= 2), {1, 8, 4});
  const Tile some = co_await tl.load(args.mine, {2, 8, 4}, f16, {.mask = chosen, .other = -1});
  const Tile none =
      co_await tl.load({.va = 0x7700'0000, .dtype = f16}, {4}, f16, {.mask = tl.arange(0, 4) > 3});
  const Tile beyond =
      co_await tl.load(args.mine + kRow / 2, {kRow}, f16, {.mask = tl.arange(0, kRow) < kRow / 2});
  co_await tl.store(args.mine, some);
  co_await tl.store(args.mine + kRow - 8, beyond, {.mask = tl.arange(0, kRow) < 4});
  co_await tl.store(args.mine + kRow - 4, none);
}

void masks(const RunPair& run) {
  const BackendOutcome outcome = run(loads_by_mask, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow; ++i) {
    const bool chosen = i / 4 % 2 == 1 && i % 4 >= 2;
    double expected = chosen ? static_cast<double>(i) : -1.0;
    if (i >= kRow - 8) expected = i < kRow - 4 ? static_cast<double>(kRow / 2 + i - (kRow - 8)) : 0.0;
    CHECK(outcome.memory[i] == expected);
  }
}

// Columns 1 and 6 of the row as 8 x 8, the last of them with no effect at first.
Task<> stores_by_mask(TL& tl, BackendArgs args) {
  const Tile column = tl.arange(0, 8);
  const Tile row = co_await tl.load(args.mine, {8, 8}, f16);
  const Tile minus = -row;
  co_await tl.store(args.mine, minus, {.mask = column > 7});
  co_await tl.store(args.mine, minus, {.mask = tl.eq(column, 1) | tl.eq(column, 6)});
  co_await tl.store(args.mine - kRow, tl.zeros({2 * kRow}, f16),
                    {.mask = tl.arange(0, 2 * kRow) >= 2 * kRow - 1});
}

void masked_stores(const RunPair& run) {
  const BackendOutcome outcome = run(stores_by_mask, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i + 1 < kRow; ++i) {
    const bool chosen = i % 8 == 1 || i % 8 == 6;
    CHECK(outcome.memory[i] == static_cast<double>(i) * (chosen ? -1.0 : 1.0));
  }
  CHECK(outcome.memory[kRow - 1] == 0.0);
}

Task<> tells_its_place(TL& tl, BackendArgs args) {
  co_await tl.store(args.mine, tl.full({1}, tl.program_id(0), f16));
  co_await tl.store(args.mine + 1, tl.full({1}, tl.program_id(1), f16));
  co_await tl.store(args.mine + 2, tl.full({1}, tl.program_id(2), f16));
  co_await tl.store(args.mine + 3, tl.full({1}, tl.num_programs(0), f16));
  co_await tl.store(args.mine + 4, tl.full({1}, tl.num_programs(1), f16));
  co_await tl.store(args.mine + 5, tl.full({1}, tl.num_programs(2), f16));
}

void places(const RunPair& run) {
  const BackendOutcome outcome = run(tells_its_place, tells_its_place, 2);
  REQUIRE(outcome.error.empty());
  const auto first = outcome.memory.begin();
  CHECK(std::vector(first, first + 6) == std::vector<double>{0, 0, 0, 2, 2, 1});
  CHECK(std::vector(first + kRow, first + kRow + 6) == std::vector<double>{0, 1, 0, 2, 2, 1});
}

// The place of the first number above 40, and the sum of a doubling until it exceeds 1000.
Task<> searches(TL& tl, BackendArgs args) {
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

void items(const RunPair& run) {
  const BackendOutcome outcome = run(searches, searches, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  CHECK(outcome.memory[0] == 42.0);  // it had seen 41 at place 41
  CHECK(outcome.memory[1] == 9.0);   // 3 * 2^9 = 1536
  CHECK(outcome.memory[kRow] == 1.0);
}

}  // namespace

std::vector<BackendCase> memory_cases() {
  return {
      {"what is loaded stays what it was; what is stored is there", memory},
      {"blocks are padded at the edges, and written only inside", blocks},
      {"a descriptor of any strides moves the elements where the strides put them", strides},
      {"a copy reads all before it writes, be it onto itself", copying},
      {"a gather gives the rows that a tile names, be they computed or loaded", gathering},
      {"a load by a mask reads the true elements alone; the others have the other value", masks},
      {"a store by a mask writes the true elements alone", masked_stores},
      {"a kernel knows its PE, cube and SIP, and how many there are", places},
      {"what a kernel does may depend on numbers that it asks for", items},
  };
}

}  // namespace kbsim::test
