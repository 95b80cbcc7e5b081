#include <array>
#include <limits>
#include <map>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"

#include "fake_pe.hpp"

namespace kbsim::test::descriptor_test {
namespace {

constexpr Ptr kBase{.va = 1000, .dtype = f16};

BlockRuns runs(FakePe& pe, const DescArgs& args, Shape offsets) {
  return TL{pe}.make_desc(args).block(offsets).runs;
}

// Element by element: where each byte of the tile lies, from the definition alone.
std::map<std::int64_t, std::uint64_t> places(const DescArgs& args, const Shape& strides,
                                             const Shape& offsets) {
  std::map<std::int64_t, std::uint64_t> found;
  const std::int64_t item = itemsize(args.base.dtype);
  for (std::int64_t i = 0; i < args.block.elements(); ++i) {
    std::int64_t rest = i;
    std::int64_t element = 0;
    bool inside = true;
    for (int axis = args.shape.rank() - 1; axis >= 0; --axis) {
      const std::int64_t at = offsets[axis] + rest % args.block[axis];
      rest /= args.block[axis];
      element += at * strides[axis];
      inside = inside && at >= 0 && at < args.shape[axis];
    }
    for (std::int64_t byte = 0; inside && byte < item; ++byte)
      found[i * item + byte] = args.base.va + static_cast<std::uint64_t>(element * item + byte);
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

}  // namespace

TEST_CASE("Descriptor: a block inside is a run a row, each a stride from the last") {
  Simulation sim;
  FakePe pe{sim};
  const auto found = runs(pe, {.base = kBase, .shape = {8, 10}, .block = {2, 4}}, {3, 5});
  const BlockRuns expected{{.va = 1000 + 2 * 35, .offset = 0, .bytes = 8_B},
                           {.va = 1000 + 2 * 45, .offset = 8, .bytes = 8_B}};
  CHECK(found == expected);
}

TEST_CASE("Descriptor: rows that adjoin in memory and in the tile are one run") {
  Simulation sim;
  FakePe pe{sim};
  const BlockRuns expected{{.va = 1000 + 2 * 30, .offset = 0, .bytes = 80_B}};
  CHECK(runs(pe, {.base = kBase, .shape = {8, 10}, .block = {4, 10}}, {3, 0}) == expected);
}

TEST_CASE("Descriptor: whole rows of a narrower block don't join, though memory adjoins") {
  Simulation sim;
  FakePe pe{sim};
  CHECK(runs(pe, {.base = kBase, .shape = {8, 10}, .block = {2, 12}}, {0, 0}).size() == 2);
}

TEST_CASE("Descriptor: elements that lie a stride apart are a run each, and those that adjoin join") {
  Simulation sim;
  FakePe pe{sim};
  const BlockRuns column{{.va = 1000 + 2 * 12, .offset = 0, .bytes = 2_B},
                         {.va = 1000 + 2 * 22, .offset = 2, .bytes = 2_B}};
  CHECK(runs(pe, {.base = kBase, .shape = {10, 8}, .strides = {1, 10}, .block = {1, 2}}, {2, 1}) == column);
  const BlockRuns joined{{.va = 1000 + 2 * 3, .offset = 0, .bytes = 4_B}};
  CHECK(runs(pe, {.base = kBase, .shape = {10, 1}, .strides = {1, 10}, .block = {2, 1}}, {3, 0}) == joined);
}

TEST_CASE("Descriptor: at the edges only what lies inside moves, and a block outside moves nothing") {
  Simulation sim;
  FakePe pe{sim};
  const DescArgs args{.base = kBase, .shape = {5, 7}, .block = {4, 4}};
  const BlockRuns corner{{.va = 1000 + 2 * 34, .offset = 0, .bytes = 2_B}};
  CHECK(runs(pe, args, {4, 6}) == corner);
  const BlockRuns before{{.va = 1000, .offset = (3 * 4 + 2) * 2, .bytes = 4_B}};
  CHECK(runs(pe, args, {-3, -2}) == before);
  CHECK(runs(pe, args, {5, 0}).empty());
  CHECK(runs(pe, args, {0, 7}).empty());
  CHECK(runs(pe, args, {-4, 0}).empty());
}

TEST_CASE("Descriptor: of any rank, strides and offsets, each byte is where the definition puts it") {
  Simulation sim;
  FakePe pe{sim};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const auto between = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
    };
    constexpr std::array<DType, 3> kSizes{f16, f32, DType::u8};
    DescArgs args{.base = {.va = 5000, .dtype = kSizes[random.below(3)]}};
    const auto extents = [&](std::int64_t low, std::int64_t high, int rank) -> Shape {
      const auto n = [&] { return between(low, high); };
      if (rank == 1) return {n()};
      if (rank == 2) return {n(), n()};
      if (rank == 3) return {n(), n(), n()};
      return rank == 4 ? Shape{n(), n(), n(), n()} : Shape{n(), n(), n(), n(), n()};
    };
    const int rank = static_cast<int>(between(1, Shape::kMaxRank));
    args.shape = extents(1, 5, rank);
    args.block = extents(1, 5, rank);
    const Shape offsets = extents(-3, 6, rank);
    Shape strides;
    {
      std::int64_t s[Shape::kMaxRank]{};
      std::int64_t stride = between(1, 3) == 1 ? between(2, 4) : 1;
      for (int axis = rank - 1; axis >= 0; --axis) {
        s[axis] = stride;
        stride *= args.shape[axis] + between(0, 2);
      }
      if (rank > 1 && between(1, 4) == 1) std::swap(s[rank - 1], s[rank - 2]);  // transposed
      if (rank == 1) strides = {s[0]};
      if (rank == 2) strides = {s[0], s[1]};
      if (rank == 3) strides = {s[0], s[1], s[2]};
      if (rank == 4) strides = {s[0], s[1], s[2], s[3]};
      if (rank == 5) strides = {s[0], s[1], s[2], s[3], s[4]};
    }
    args.strides = strides;
    const BlockRuns found = runs(pe, args, offsets);
    CHECK(places(found) == places(args, strides, offsets));
    for (std::size_t i = 1; i < found.size(); ++i) {
      const BlockRun& left = found[i - 1];
      const std::int64_t n = left.bytes.count();
      CHECK(left.offset + n <= found[i].offset);
      const bool adjoin =
          left.offset + n == found[i].offset && left.va + static_cast<std::uint64_t>(n) == found[i].va;
      CHECK_FALSE(adjoin);
    }
  }
}

TEST_CASE("Descriptor: the pad is zero, minus infinity or NaN") {
  Simulation sim;
  FakePe pe{sim};
  const auto pad = [&](Pad what) {
    return TL{pe}.make_desc({.base = kBase, .shape = {5}, .block = {4}, .pad = what}).block({3}).pad;
  };
  CHECK(pad(Pad::zero) == 0.0);
  CHECK(pad(Pad::neg_inf) == -std::numeric_limits<double>::infinity());
  CHECK(pad(Pad::nan) != pad(Pad::nan));
}

TEST_CASE("Descriptor: load and store start with the block, its shape and its dtype") {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};
  const Descriptor desc = tl.make_desc({.base = kBase, .shape = {5, 7}, .block = {4, 4}});
  auto loading = desc.load({4, 4});
  auto storing = desc.store({0, 0}, Tile{pe.tile({4, 4}, f16)});
  REQUIRE(pe.blocks.size() == 2);
  CHECK(pe.blocks[0].shape == Shape{4, 4});
  CHECK(pe.blocks[0].dtype == f16);
  CHECK(pe.blocks[0].in_memory() == 6_B);
  CHECK(pe.blocks[1].in_memory() == 32_B);
  loading.detach();
  storing.detach();
}

TEST_CASE("Descriptor: what doesn't make sense is refused with both shapes and the kernel's line") {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};
  const auto refused = [&](const DescArgs& args, const std::string& text) {
    const std::string found = fault([&] { (void)tl.make_desc(args); });
    CAPTURE(found);
    CHECK(found.find("descriptor.cpp:") != std::string::npos);
    CHECK(found.find(text) != std::string::npos);
  };
  refused({.base = kBase, .shape = {}, .block = {}}, "needs a shape");
  refused({.base = kBase, .shape = {4, 4}, .block = {4}}, "block [4] and the shape [4, 4] differ in rank");
  refused({.base = kBase, .shape = {4, 0}, .block = {4, 4}},
          "extents of the shape must be positive, got [4, 0]");
  refused({.base = kBase, .shape = {4, 4}, .block = {-1, 4}}, "extents of the block must be positive");
  refused({.base = kBase, .shape = {4, 4}, .strides = {8, -2}, .block = {2, 2}},
          "strides must be positive, got [8, -2]");
  refused({.base = kBase, .shape = {4, 4}, .strides = {1, std::int64_t{1} << 60}, .block = {2, 2}},
          "a tensor of [4, 4] with strides of [1, 1152921504606846976] has more elements than any memory");
  refused({.base = kBase, .shape = {4, 4}, .strides = {0, 1}, .block = {2, 2}}, "strides must be positive");
  refused({.base = {.va = 0, .dtype = i32}, .shape = {4}, .block = {2}, .pad = Pad::nan},
          "a tensor of i32 can't be padded with nan");
  refused({.base = {.va = 0, .dtype = DType::f8e4m3}, .shape = {4}, .block = {2}, .pad = Pad::neg_inf},
          "a tensor of f8e4m3 can't be padded with -inf");
  const Descriptor desc = tl.make_desc({.base = kBase, .shape = {4, 4}, .block = {2, 2}});
  CHECK(fault([&] { (void)desc.load({1}); }).find("offsets [1] and the shape [4, 4]") != std::string::npos);
  CHECK(fault([&] { (void)desc.store({0, 0}, Tile{}); }).find("the tile is empty") != std::string::npos);
  CHECK(fault([&] {
          (void)desc.store({0, 0}, Tile{pe.tile({2, 3}, f16)});
        }).find("[2, 3] where the block is [2, 2]") != std::string::npos);
  CHECK(fault([&] {
          (void)desc.store({0, 0}, Tile{pe.tile({2, 2}, f32)});
        }).find("convert it with .to(f16)") != std::string::npos);
}

}  // namespace kbsim::test::descriptor_test
