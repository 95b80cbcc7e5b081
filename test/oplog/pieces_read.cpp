#include "kbsim/oplog/pieces_read.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::oplog::pieces_read_test {
namespace {

constexpr ValueId kA{.lane = 0, .seq = 1};
constexpr ValueId kB{.lane = 0, .seq = 2};

using Pieces = std::vector<std::pair<std::int64_t, Slice>>;

// An array of `rows` by `columns` pieces of `bytes` bytes each, read column by column.
Pieces tiles(std::int64_t rows, std::int64_t columns, std::int64_t bytes, std::int64_t shift) {
  Pieces pieces;
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = (row * columns + column) * bytes;
      pieces.push_back({at, {kA, at + shift, bytes}});
    }
  }
  return pieces;
}

void check_against_an_image(const Pieces& pieces, std::int64_t bytes) {
  PiecesRead read;
  MemoryImage image;
  for (const auto& [at, slice] : pieces) {
    read.add(at, slice);
    image.write(at, slice);
  }
  CHECK(read.all(bytes) == image.read(0, bytes));
}

TEST_CASE("PiecesRead: tiles of a value that stands as it is are one slice of it") {
  PiecesRead read;
  for (const auto& [at, slice] : tiles(16, 3, 8, 100)) read.add(at, slice);
  CHECK(read.all(16 * 3 * 8) == Slices{{kA, 100, 384}});
}

TEST_CASE("PiecesRead: bytes that aren't added are unwritten, as is a piece of no value") {
  PiecesRead read;
  CHECK(read.all(8) == Slices{{{}, 0, 8}});
  CHECK(read.all(0).empty());
  read.add(8, {kA, 0, 4});
  read.add(12, {{}, 0, 4});
  CHECK(read.all(20) == Slices{{{}, 0, 8}, {kA, 0, 4}, {{}, 0, 8}});
}

TEST_CASE("PiecesRead: pieces of several values, and of one that isn't in order, stay apart") {
  PiecesRead read;
  read.add(8, {kB, 0, 8});
  read.add(0, {kA, 0, 8});
  read.add(16, {kB, 8, 8});
  read.add(24, {kA, 64, 8});
  CHECK(read.all(32) == Slices{{kA, 0, 8}, {kB, 0, 16}, {kA, 64, 8}});
}

TEST_CASE("PiecesRead: a piece that is there twice, or beyond the end, is our own mistake") {
  PiecesRead twice;
  twice.add(0, {kA, 0, 8});
  twice.add(4, {kB, 0, 8});
  CHECK_THROWS_AS((void)twice.all(12), InternalError);
  PiecesRead beyond;
  beyond.add(0, {kA, 0, 8});
  beyond.add(8, {kB, 0, 8});
  CHECK_THROWS_AS((void)beyond.all(12), InternalError);
}

TEST_CASE("PiecesRead: any pieces in any order are what a memory holds that they are written to") {
  std::mt19937 random{7};
  const auto draw = [&random](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>{least, most}(random);
  };
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    Pieces pieces = tiles(draw(1, 9), draw(1, 4), draw(1, 8), draw(0, 2) * 32);
    const std::int64_t bytes = static_cast<std::int64_t>(pieces.size()) * pieces.front().second.bytes;
    if (draw(0, 1) == 1) std::shuffle(pieces.begin(), pieces.end(), random);
    for (auto& [at, slice] : pieces) {
      if (draw(0, 19) == 0) slice.value = kB;
      if (draw(0, 19) == 0) slice.offset += 4;
      if (draw(0, 29) == 0) slice.value = {};
    }
    check_against_an_image(pieces, bytes);
  }
}

}  // namespace
}  // namespace kbsim::oplog::pieces_read_test
