// Arrays of the host: where their contents come from, and how parts of them are read.
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;
using topology::Split;

TEST_CASE("Host arrays: a difference names the first element that differs, and how many do") {
  const HostArray x = generate({2, 3}, f16, [](std::int64_t i) { return static_cast<double>(i); });
  const HostArray y =
      generate({2, 3}, f16, [](std::int64_t i) { return static_cast<double>(i < 2 ? i : 7); });
  CHECK(difference(x, x) == "");
  CHECK(difference(x, y) == "element 2 is 2, expected 7; 4 of 6 differ");
  CHECK_THROWS_WITH_AS((void)difference(x, full({6}, 0.0, f16)),
                       doctest::Contains("difference of f16 [2, 3] and f16 [6]"), UsageError);
}

namespace {

std::vector<std::byte> counted_bytes(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  return bytes;
}

std::vector<std::byte> read(const HostArray& array, std::int64_t first, std::size_t n) {
  std::vector<std::byte> bytes(n);
  array.read(first, bytes);
  return bytes;
}

// Parts of more than 64 KiB are read from the array.
Task<> large_round_trips(Rank& main, bool resident) {
  const Shape shape{300, 1500};
  for (const Split split : {Split::replicate, Split::row_wise, Split::column_wise}) {
    const std::array arrays{
        generate(shape, f16, [](std::int64_t i) { return static_cast<double>(i % 2039); }),
        HostArray::repeated(shape, f16, counted_bytes(1022))};
    for (const HostArray& contents : arrays) {
      const Tensor x = co_await main.torch.from_host(
          contents, {.dp = {.cube = split, .num_cubes = 2, .num_pes = 1}, .resident = resident});
      const HostArray back = co_await x.to_host();
      CHECK(back.bytes() == contents.bytes());
    }
  }
}

TEST_CASE("HostArray: parts of any size are read") {
  const std::vector<std::byte> bytes = counted_bytes(400);
  const HostArray array{{200}, f16, bytes};
  CHECK(read(array, 0, 400) == bytes);
  CHECK(read(array, 17, 9) == std::vector<std::byte>(bytes.begin() + 17, bytes.begin() + 26));
  CHECK(read(array, 400, 0).empty());
  CHECK(*array.kept() == bytes);
  CHECK_THROWS_AS(read(array, 399, 2), InternalError);
  CHECK_THROWS_AS(read(array, -1, 2), InternalError);
  CHECK_THROWS_AS((HostArray{{199}, f16, bytes}), UsageError);
}

TEST_CASE("HostArray: a repeated block fills its shape, the last time a part of it") {
  const std::vector<std::byte> block = counted_bytes(30);
  const HostArray array = HostArray::repeated({50}, f16, block);
  CHECK(array.kept() == nullptr);
  const std::vector<std::byte> parts = read(array, 25, 60);
  for (std::size_t i = 0; i < parts.size(); ++i) CHECK(parts[i] == block[(25 + i) % 30]);
  REQUIRE(array.bytes().size() == 100);
  CHECK(array.bytes() == read(array, 0, 100));
  CHECK(&array.bytes() == &HostArray{array}.bytes());
  CHECK_THROWS_AS(read(array, 99, 2), InternalError);
}

TEST_CASE(
    "HostArray: a block as large as the array is the array, and none that is larger or empty is taken") {
  const std::vector<std::byte> block = counted_bytes(100);
  CHECK(*HostArray::repeated({50}, f16, block).kept() == block);
  CHECK_THROWS_AS((void)(HostArray::repeated({49}, f16, block)), UsageError);
  CHECK_THROWS_AS((void)(HostArray::repeated({49}, f16, {})), UsageError);
}

TEST_CASE("HostArray: without numbers there is nothing to read") {
  const HostArray array = HostArray::without_numbers({4}, f16);
  CHECK_THROWS_AS(read(array, 0, 1), UsageError);
  CHECK_THROWS_AS((void)array.bytes(), UsageError);
}

TEST_CASE("Tensors: large parts come back as they were sent, kept or repeated, resident or not") {
  for (const bool resident : {true, false}) Program{}.run(large_round_trips, resident);
}

}  // namespace
