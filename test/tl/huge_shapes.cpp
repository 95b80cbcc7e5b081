// Sizes that no memory has: a fault with the kernel's line, before anything is computed with them.
#include <limits>

#include <doctest/doctest.h>

#include "fake_pe.hpp"

namespace kbsim::test::huge_shapes_test {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 32;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr const char* kUncountable = " has more elements than any memory";

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("Huge shapes: one whose elements 64 bits don't count is refused by every call that takes a shape") {
  Kernel k;
  const Tile x = k.tl.zeros({1, 1}, f32);
  const Ptr at{.va = 0x1000, .dtype = f32};
  CHECK(fault([&] { (void)k.tl.zeros({kHuge, kHuge}); }) ==
        here(__LINE__, "zeros: [4294967296, 4294967296]" + std::string{kUncountable}));
  for (const Shape& huge : {Shape{kHuge, kHuge}, Shape{kMost, 2}, Shape{kMost, kMost}, Shape{1, kMost}}) {
    CHECK(says(fault([&] { (void)k.tl.zeros(huge); }), kUncountable));
    CHECK(says(fault([&] { (void)k.tl.full(huge, 1); }), kUncountable));
    CHECK(says(fault([&] { (void)k.tl.reshape(x, huge); }), kUncountable));
    CHECK(says(fault([&] { (void)k.tl.broadcast_to(x, huge); }), kUncountable));
    CHECK(says(fault([&] { k.tl.load(at, huge, f32).detach(); }), kUncountable));
    CHECK(
        says(fault([&] { k.tl.recv({.dir = Dir::W, .shape = huge, .dtype = f32}).detach(); }), kUncountable));
    const CompositeArgs wide{.a = k.tl.ref(at, {huge[0], 1}, f32), .b = k.tl.ref(at, {1, huge[1]}, f32)};
    CHECK(says(fault([&] { k.tl.composite(wide).detach(); }), kUncountable));
    CHECK(says(fault([&] { (void)k.tl.make_desc({.base = at, .shape = huge, .block = {1, 1}}); }),
               kUncountable));
    CHECK(says(fault([&] { (void)k.tl.make_desc({.base = at, .shape = {8, 8}, .block = huge}); }),
               kUncountable));
  }
  CHECK(k.pe.started.empty());
}

TEST_CASE("Huge shapes: no tile is larger than the largest TCM, whatever makes it") {
  Kernel k;
  const std::string most = ", and no TCM has more than 256 MiB";
  const Tile bytes = k.tl.zeros({1 << 14, 1 << 14}, DType::i8);  // 256 MiB
  const std::string zeros = fault([&] { (void)k.tl.zeros({1 << 14, 1 << 14}, f16); });
  CHECK(zeros == here(__LINE__ - 1, "zeros: a tile of f16 [16384, 16384] takes 512 MiB" + most +
                                        "; cut it into smaller ones"));
  CHECK(says(fault([&] { (void)bytes.to(f16); }), "to: a tile of f16"));
  CHECK(says(fault([&] { (void)k.tl.cat(bytes, bytes, {.axis = 0}); }), "cat: a tile of i8 [32768, 16384]"));
  CHECK(says(fault([&] { (void)k.tl.cumsum(bytes, {.axis = 0}); }), "cumsum: a tile of i32"));
  CHECK(
      says(fault([&] { (void)k.tl.arange(-(1LL << 31), 1LL << 31); }), "arange: a tile of i32 [4294967296]"));
  const Tile column = k.tl.zeros({1 << 16, 1}, f32);
  const Tile row = k.tl.zeros({1, 1 << 16}, f32);
  CHECK(says(fault([&] { (void)(column + row); }), "add: a tile of f32 [65536, 65536]"));
  CHECK(says(fault([&] { (void)k.tl.dot(column, row); }), "dot: a tile of f32 [65536, 65536]"));
  CHECK(says(fault([&] { (void)k.tl.where(column < 0, row, 1); }), "where: a tile of f32"));
  const Ptr at{.va = 0x1000, .dtype = f32};
  const Tile indices = k.tl.zeros({1 << 16}, i32);
  CHECK(says(fault([&] { k.tl.gather(at, indices, {.row = 1 << 16}).detach(); }), "gather: a tile of f32"));
}

TEST_CASE("Huge shapes: strides that reach beyond any memory are refused, offsets beyond a tensor aren't") {
  Kernel k;
  const Ptr at{.va = 0x1000, .dtype = f32};
  for (const std::int64_t stride : {kMost, kMost / 2, kHuge << 29, kMostElements}) {
    CHECK(says(fault([&] {
                 (void)k.tl.make_desc({.base = at, .shape = {3, 4}, .strides = {stride, 1}, .block = {1, 4}});
               }),
               kUncountable));
  }
  const Descriptor tensor = k.tl.make_desc({.base = at, .shape = {3, 4}, .block = {2, 2}});
  for (const std::int64_t offset :
       {kLeast, kLeast + 1, -kHuge, std::int64_t{-2}, std::int64_t{3}, kHuge, kMost}) {
    CHECK(tensor.block({offset, 0}).runs.empty());
    CHECK(tensor.block({0, offset == 3 ? 4 : offset}).runs.empty());
  }
  CHECK(tensor.block({-1, 3}).runs.size() == 1);
}

TEST_CASE("Huge shapes: a gather's index whose address would wrap is refused by its number") {
  const Kernel k;
  const Ptr at{.va = 0x1000, .dtype = f32};
  FakePe pe{const_cast<Simulation&>(k.sim)};
  const GatherCommand rows{
      .base = at, .indices = pe.tile({1}, DType::i64), .row = 1 << 20, .shape = {1, 1 << 20}};
  for (const double index : {0x1p31, 0x1p53, 9.3e18}) {
    CHECK(says(fault([&] { (void)block_of(rows, std::vector{index}); }), "no memory reaches so far"));
  }
  CHECK(says(fault([&] { (void)block_of(rows, std::vector{-9.3e18}); }), "it must not be negative"));
}

TEST_CASE("Huge shapes: a pointer wraps as an address does") {
  constexpr Ptr at{.va = 0x1000, .dtype = f32};
  CHECK((at + kMost).va == 0x1000 - 4);
  CHECK((at + kLeast).va == 0x1000);
  CHECK((at + -1).va == 0xffc);
}

TEST_CASE("TL: what takes no time counts as a command, too") {
  Kernel k;
  const Tile x = k.tl.zeros({2, 3}, f32);
  REQUIRE(k.pe.counted == 0);
  (void)k.tl.reshape(x, {6});
  (void)k.tl.unsqueeze(x, 0);
  (void)x.bitcast(i32);
  { const auto range = k.tl.range("r"); }
  k.tl.print("x", x);
  k.tl.check_all(x, "nothing is 0");
  (void)k.tl.clock();
  CHECK(k.pe.counted == 7);
}

}  // namespace kbsim::test::huge_shapes_test
