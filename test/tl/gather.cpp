#include <doctest/doctest.h>

#include "fake_pe.hpp"

namespace kbsim::test::gather_test {
namespace {

constexpr Ptr kBase{.va = 1000, .dtype = f16};

std::string of_gather(int line, const std::string& text) { return here(line, "gather: " + text); }

/// A command of rows of four f16, 8 bytes each.
GatherCommand rows_of_four(FakePe& pe, Shape indices, std::optional<std::int64_t> rows = {}) {
  return {.base = kBase,
          .indices = pe.tile(indices, i32),
          .row = 4,
          .rows = rows,
          .at = std::source_location::current()};
}

}  // namespace

TEST_CASE("Gather: a result has the indices' shape, and a row after it if rows are asked for") {
  Kernel k;
  const Tile indices = k.tl.zeros({2, 3}, i32);
  k.tl.gather(kBase, indices).detach();
  k.tl.gather(kBase, indices, {.row = 16, .rows = 100}).detach();
  k.tl.gather(kBase, indices, {.row = 1}).detach();
  REQUIRE(k.pe.gathers.size() == 3);
  CHECK(k.pe.gathers[0].shape == Shape{2, 3});
  CHECK(k.pe.gathers[0].row == 1);
  CHECK(k.pe.gathers[1].shape == Shape{2, 3, 16});
  CHECK(k.pe.gathers[1].rows == 100);
  CHECK(k.pe.gathers[2].shape == Shape{2, 3, 1});
}

TEST_CASE("Gather: rows that follow one another are one run") {
  Kernel k;
  const GatherCommand command = rows_of_four(k.pe, {6});
  const std::vector<double> indices{5, 6, 7, 7, 0, 1};
  const BlockRuns runs = block_of(command, indices).runs;
  REQUIRE(runs.size() == 3);
  CHECK(runs[0] == BlockRun{.va = 1040, .offset = 0, .bytes = 24_B});
  CHECK(runs[1] == BlockRun{.va = 1056, .offset = 24, .bytes = 8_B});
  CHECK(runs[2] == BlockRun{.va = 1000, .offset = 32, .bytes = 16_B});
  CHECK(described(command, runs[0]) == "gather, rows 5 to 7,");
  CHECK(described(command, runs[1]) == "gather, row 7,");
}

TEST_CASE("Gather: an index outside is reported with its place, its value and the range") {
  Kernel k;
  const GatherCommand command = rows_of_four(k.pe, {2, 2}, 8);
  const auto line = static_cast<int>(command.at.line());
  const auto fault_of = [&](std::vector<double> indices) {
    return fault([&] { (void)block_of(command, indices); });
  };
  CHECK(fault_of({0, 1, 7, 7}).empty());
  CHECK(fault_of({0, 1, 8, 7}) == of_gather(line, "the index at [1, 0] is 8, but there are 8 rows"));
  CHECK(fault_of({0, -1, 2, 7}) == of_gather(line, "the index at [0, 1] is -1: it must not be negative"));
}

TEST_CASE("Gather: indices are integers, and leave an axis for the row") {
  Kernel k;
  const Tile floats = k.tl.zeros({4}, f16);
  const Tile deep = k.tl.zeros({1, 1, 1, 1, 4}, i32);
  CHECK(fault([&] { k.tl.gather(kBase, floats).detach(); }) ==
        of_gather(__LINE__, "indices must be integers, got f16"));
  CHECK(fault([&] { k.tl.gather(kBase, deep, {.row = 2}).detach(); }) ==
        of_gather(__LINE__, "indices of [1, 1, 1, 1, 4] leave no axis for rows"));
  CHECK(fault([&] { k.tl.gather(kBase, deep, {.row = -2}).detach(); }) ==
        of_gather(__LINE__, "a row of -2 elements"));
  CHECK(fault([&] { k.tl.gather(kBase, Tile{}).detach(); }) ==
        of_gather(__LINE__, "the tile is empty (never assigned, or moved from)"));
}

}  // namespace kbsim::test::gather_test
