#include <map>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"

#include "fake_pe.hpp"

namespace kbsim::test::masked_test {
namespace {

constexpr Ptr kBase{.va = 1000, .dtype = f16};

MaskedLoadCommand command_of(FakePe& pe, Shape shape, Shape mask) {
  return {.from = kBase, .shape = shape, .mask = pe.tile(mask, DType::boolean), .at = {}};
}

/// Address of each byte that moves, by its place in the tile: from the definition of broadcasting.
std::map<std::int64_t, std::uint64_t> places(const Shape& shape, const Shape& mask_shape,
                                             const std::vector<double>& mask) {
  std::map<std::int64_t, std::uint64_t> found;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    std::int64_t rest = i;
    std::int64_t element = 0;
    std::int64_t stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const int own = axis - (shape.rank() - mask_shape.rank());
      const std::int64_t at = rest % shape[axis];
      rest /= shape[axis];
      if (own < 0) continue;
      element += (mask_shape[own] == 1 ? 0 : at) * stride;
      stride *= mask_shape[own];
    }
    if (mask[static_cast<std::size_t>(element)] == 0.0) continue;
    for (std::int64_t byte = 0; byte < 2; ++byte)
      found[2 * i + byte] = kBase.va + static_cast<std::uint64_t>(2 * i + byte);
  }
  return found;
}

std::map<std::int64_t, std::uint64_t> places(const BlockRuns& runs) {
  std::map<std::int64_t, std::uint64_t> found;
  for (const BlockRun& run : runs) {
    for (std::int64_t byte = 0; byte < run.bytes.count(); ++byte)
      CHECK(found.emplace(run.offset + byte, run.va + static_cast<std::uint64_t>(byte)).second);
  }
  return found;
}

/// Extents of rank `rank`, each `n()`.
template <class N>
Shape shape_of(int rank, N n) {
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  for (std::int64_t& extent : extents) extent = n();
  return Shape::of(std::span{extents}.first(static_cast<std::size_t>(rank)));
}

}  // namespace

TEST_CASE("Masks: true elements that follow one another are one run") {
  Kernel k;
  const MaskedLoadCommand command = command_of(k.pe, {2, 4}, {2, 4});
  const std::vector<double> mask{0, 1, 1, 1, 1, 0, 1, 0};
  const BlockRuns runs = block_of(command, mask).runs;
  const BlockRuns expected{{.va = 1002, .offset = 2, .bytes = 8_B}, {.va = 1012, .offset = 12, .bytes = 2_B}};
  CHECK(runs == expected);
  CHECK(described(command, runs[0]) == "load, elements [0, 1] to [1, 0],");
  CHECK(described(command, runs[1]) == "load, element [1, 2],");
  CHECK(block_of(command, std::vector<double>(8, 0.0)).runs.empty());
  CHECK(block_of(command, std::vector<double>(8, 1.0)).runs.size() == 1);
}

TEST_CASE("Masks: of any shape that broadcasts, exactly the true elements move") {
  Kernel k;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const auto upto = [&](std::uint64_t n) { return static_cast<std::int64_t>(random.below(n)); };
    const int rank = static_cast<int>(1 + upto(Shape::kMaxRank));
    const Shape shape = shape_of(rank, [&] { return 1 + upto(4); });
    const int missing = static_cast<int>(upto(static_cast<std::uint64_t>(rank) + 1));
    int axis = missing;
    const Shape mask = shape_of(rank - missing, [&] {
      const std::int64_t extent = axis < rank ? shape[axis] : 1;
      ++axis;
      return upto(3) == 0 ? 1 : extent;
    });
    std::vector<double> values(static_cast<std::size_t>(mask.elements()));
    for (double& value : values) value = static_cast<double>(upto(2));
    const BlockRuns runs = block_of(command_of(k.pe, shape, mask), values).runs;
    CHECK(places(runs) == places(shape, mask, values));
    for (std::size_t i = 1; i < runs.size(); ++i)
      CHECK(runs[i - 1].offset + runs[i - 1].bytes.count() < runs[i].offset);
  }
}

TEST_CASE("Masks: a load has the mask's tile, its shape and the other value") {
  Kernel k;
  const Tile mask = k.tl.zeros({4, 1}, DType::boolean);
  k.tl.load(kBase, {4, 3}, f16, {.mask = mask, .other = -HUGE_VAL}).detach();
  k.tl.load(kBase, {4, 3}, f16, {.mask = mask}).detach();
  k.tl.store(kBase, k.tl.zeros({4, 3}, f16), {.mask = k.tl.arange(0, 3) < 2}).detach();
  REQUIRE(k.pe.masked_loads.size() == 2);
  CHECK(k.pe.masked_loads[0].shape == Shape{4, 3});
  CHECK(k.pe.masked_loads[0].mask == mask.state());
  CHECK(k.pe.masked_loads[0].other == -HUGE_VAL);
  CHECK(k.pe.masked_loads[1].other == 0.0);
  REQUIRE(k.pe.masked_stores.size() == 1);
  CHECK(k.pe.masked_stores[0].mask->shape() == Shape{3});
}

TEST_CASE("Masks: what doesn't fit is refused with the kernel's line") {
  Kernel k;
  const Tile mask = k.tl.zeros({4}, DType::boolean);
  const Tile tile = k.tl.zeros({2, 3}, f16);
  const auto of_load = [](int line, const std::string& text) { return here(line, "load: " + text); };
  CHECK(fault([&] { k.tl.load(kBase, {4}, f16, {.mask = k.tl.zeros({4}, i32)}).detach(); }) ==
        of_load(__LINE__, "the mask must be bool, got i32 [4]; compare it with 0"));
  CHECK(fault([&] { k.tl.load(kBase, {3}, f16, {.mask = mask}).detach(); }) ==
        of_load(__LINE__, "a mask of [4] doesn't broadcast to [3]"));
  CHECK(fault([&] { k.tl.load(kBase, {1}, f16, {.mask = mask}).detach(); }) ==
        of_load(__LINE__, "a mask of [4] doesn't broadcast to [1]"));
  CHECK(fault([&] { k.tl.load(kBase, {4}, f32, {.mask = mask}).detach(); }) ==
        of_load(__LINE__, "a tile of f32 from memory of f16; load it as f16, then .to(f32)"));
  CHECK(fault([&] { k.tl.load(kBase, {4}, f16, {.mask = Tile{}}).detach(); }) ==
        of_load(__LINE__, "the tile is empty (never assigned, or moved from)"));
  const Tile of_other = k.other_tl.zeros({4}, DType::boolean);
  const std::string foreign = fault([&] { k.tl.load(kBase, {4}, f16, {.mask = of_other}).detach(); });
  CHECK(foreign.find("load: the tile of [4] lives on another PE") != std::string::npos);
  CHECK(fault([&] { k.tl.store(kBase, tile, {.mask = mask}).detach(); }) ==
        here(__LINE__, "store: a mask of [4] doesn't broadcast to [2, 3]"));
}

TEST_CASE("Masks: the other value is a number that the dtype can hold") {
  Kernel k;
  const Tile mask = k.tl.zeros({4}, DType::boolean);
  const auto fault_of = [&](DType dtype, Number other) {
    const std::string text =
        fault([&] { k.tl.load({1000, dtype}, {4}, dtype, {.mask = mask, .other = other}).detach(); });
    return text.empty() ? text : text.substr(text.find("load: ") + 6);
  };
  const auto held = [&](DType dtype, Number other) { CHECK(fault_of(dtype, other).empty()); };
  held(i8, -128);
  held(i8, 127.0);
  held(u8, 255);
  held(DType::boolean, true);
  held(f16, -65504);
  held(f16, 0.1);
  held(DType::f8e4m3, std::nan(""));
  held(DType::f8e5m2, HUGE_VAL);
  CHECK(fault_of(i8, 128) == "128 is out of range of i8");
  CHECK(fault_of(u8, -1) == "a negative number, -1, with unsigned u8; cast one of them");
  CHECK(fault_of(i32, 0.5) == "no i32 is 0.5, the value where the mask is false");
  CHECK(fault_of(i16, 32768.0) == "no i16 is 32768, the value where the mask is false");
  CHECK(fault_of(i32, HUGE_VAL) == "no i32 is inf, the value where the mask is false");
  CHECK(fault_of(f16, 1e6) == "no f16 is 1000000, the value where the mask is false");
  CHECK(fault_of(DType::f8e4m3, HUGE_VAL) == "no f8e4m3 is inf, the value where the mask is false");
}

}  // namespace kbsim::test::masked_test
