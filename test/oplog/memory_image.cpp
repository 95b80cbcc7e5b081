#include <random>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::oplog {
namespace {

constexpr ValueId kA{.lane = 0, .seq = 1};
constexpr ValueId kB{.lane = 0, .seq = 2};

TEST_CASE("MemoryImage: unwritten memory reads as one slice of an invalid value") {
  const MemoryImage memory;
  CHECK(memory.read(100, 16) == Slices{{.value = {}, .offset = 0, .bytes = 16}});
  CHECK(memory.read(100, 0).empty());
}

TEST_CASE("MemoryImage: a read finds the parts of values in address order, and the gaps between them") {
  MemoryImage memory;
  memory.write(10, {kA, 4, 8});
  memory.write(20, {kB, 0, 4});
  CHECK(memory.read(8, 14) == Slices{{{}, 0, 2}, {kA, 4, 8}, {{}, 0, 2}, {kB, 0, 2}});
  CHECK(memory.read(12, 4) == Slices{{kA, 6, 4}});
}

TEST_CASE("MemoryImage: a later write hides what it overlaps and leaves the rest") {
  MemoryImage memory;
  memory.write(0, {kA, 0, 100});
  memory.write(40, {kB, 7, 10});
  CHECK(memory.read(0, 100) == Slices{{kA, 0, 40}, {kB, 7, 10}, {kA, 50, 50}});
}

TEST_CASE("MemoryImage: what a reader bound stays as it was when the memory is overwritten") {
  MemoryImage memory;
  memory.write(0, {kA, 0, 16});
  const Slices before = memory.read(0, 16);
  memory.write(0, {kB, 0, 16});
  CHECK(before == Slices{{kA, 0, 16}});
  CHECK(memory.read(0, 16) == Slices{{kB, 0, 16}});
}

TEST_CASE("MemoryImage: neighbours of one value are joined only if they continue one another") {
  MemoryImage memory;
  memory.write(8, {kA, 8, 8});
  memory.write(0, {kA, 0, 8});
  memory.write(16, {kA, 32, 8});
  CHECK(memory.read(0, 24) == Slices{{kA, 0, 16}, {kA, 32, 8}});
}

TEST_CASE("MemoryImage: writing a slice of an invalid value makes memory unwritten again") {
  MemoryImage memory;
  memory.write(0, {kA, 0, 16});
  memory.write(4, {{}, 0, 4});
  CHECK(memory.read(0, 16) == Slices{{kA, 0, 4}, {{}, 0, 4}, {kA, 8, 8}});
}

TEST_CASE("MemoryImage: a negative size is our own mistake") {
  MemoryImage memory;
  CHECK_THROWS_AS(memory.write(0, {kA, 0, -1}), InternalError);
  CHECK_THROWS_AS(static_cast<void>(memory.read(0, -1)), InternalError);
}

struct Model {  // every byte by itself
  std::vector<std::pair<ValueId, std::int64_t>> bytes{64};

  void write(std::int64_t address, const Slice& slice) {
    for (std::int64_t i = 0; i < slice.bytes; ++i) {
      const bool valid = slice.value.valid();
      bytes[static_cast<std::size_t>(address + i)] = {slice.value, valid ? slice.offset + i : 0};
    }
  }

  [[nodiscard]] Slices read(std::int64_t address, std::int64_t count) const {
    Slices found;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto& [value, offset] = bytes[static_cast<std::size_t>(address + i)];
      const bool joins = !found.empty() && found.back().value == value &&
                         (!value.valid() || found.back().offset + found.back().bytes == offset);
      if (joins)
        ++found.back().bytes;
      else
        found.push_back({value, offset, 1});
    }
    return found;
  }
};

TEST_CASE("MemoryImage: random programs agree with a model that keeps every byte by itself") {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
    MemoryImage memory;
    Model model;
    for (int step = 0; step < 30; ++step) {
      const std::int64_t address = below(64);
      const ValueId id = below(8) == 0 ? ValueId{} : ValueId{0, static_cast<std::uint32_t>(below(3))};
      const Slice slice{id, below(2) == 0 ? address : below(4), below(65 - address)};
      memory.write(address, slice);
      model.write(address, slice);
      const std::int64_t from = below(64);
      const std::int64_t count = below(65 - from);
      REQUIRE(memory.read(from, count) == model.read(from, count));
    }
    REQUIRE(memory.read(0, 64) == model.read(0, 64));
  }
}

TEST_CASE("subrange: cuts across slices, keeping offsets into their values") {
  const Slices whole{{kA, 4, 10}, {{}, 0, 6}, {kB, 0, 8}};
  CHECK(subrange(whole, 0, 24) == whole);
  CHECK(subrange(whole, 8, 12) == Slices{{kA, 12, 2}, {{}, 0, 6}, {kB, 0, 4}});
  CHECK(subrange(whole, 12, 2) == Slices{{{}, 0, 2}});
  CHECK(subrange(whole, 24, 0).empty());
}

TEST_CASE("subrange: beyond the array is our own mistake") {
  const Slices whole{{kA, 0, 10}};
  CHECK_THROWS_AS(static_cast<void>(subrange(whole, 8, 3)), InternalError);
  CHECK_THROWS_AS(static_cast<void>(subrange(whole, -1, 3)), InternalError);
}

}  // namespace
}  // namespace kbsim::oplog
