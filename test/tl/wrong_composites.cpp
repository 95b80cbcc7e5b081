// A wrong composite is reported at its call, with the place and both shapes.
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "fake_pe.hpp"

namespace kbsim::test::wrong_composites_test {
namespace {

Ref ref(std::uint64_t va, Shape shape, DType dtype = f16) { return {{.va = va, .dtype = dtype}, shape}; }

void refused(Kernel& kernel, const CompositeArgs& args, const std::string& text) {
  CAPTURE(text);
  CHECK_THROWS_WITH_AS(kernel.tl.composite(args).detach(), doctest::Contains(text.c_str()), KernelFault);
  CHECK_THROWS_WITH_AS(kernel.tl.composite(args).detach(), doctest::Contains("wrong_composites.cpp:"),
                       KernelFault);
}

}  // namespace

TEST_CASE("Composite: shapes and dtypes that don't multiply are named, both of them") {
  Kernel k;
  const Tile a = k.tl.zeros({32, 64}, f16);
  refused(k, {.a = a, .b = k.tl.zeros({32, 64}, f16)}, "[M, K] by [K, N]: [32, 64] f16 and [32, 64] f16");
  refused(k, {.a = a, .b = k.tl.zeros({64}, f16)}, "[32, 64] f16 and [64] f16");
  refused(k, {.a = a, .b = k.tl.zeros({64, 8}, f32)}, "dtypes differ: [32, 64] f16 and [64, 8] f32");
  refused(k, {.a = k.tl.zeros({4, 4}, i32), .b = k.tl.zeros({4, 4}, i32)}, "doesn't multiply such elements");
  refused(k, {.op = Op::add, .a = a, .b = k.tl.zeros({64, 32}, f16)},
          "shapes differ: [32, 64] f16 and [64, 32] f16");
  refused(k, {.a = ref(0x1000, {32, 0}), .b = ref(0x2000, {0, 8})}, "extent of a must be positive");
  refused(k, {.a = Tile{}, .b = a}, "composite, a");
}

TEST_CASE("Composite: outputs of another shape, outputs over operands, and no depth at all are refused") {
  Kernel k;
  const Ref a = ref(0x1000, {32, 64});
  const Ref b = ref(0x8000, {64, 32});
  refused(k, {.a = a, .b = b, .out = ref(0x10000, {32, 33})},
          "the result is [32, 32], but the output [32, 33]");
  refused(k, {.a = a, .b = b, .out = ref(0x8000 + 64 * 32 * 2 - 2, {32, 32})},
          "overlaps an operand at 0x8000");
  refused(k, {.a = a, .b = b, .depth = 0}, "depth must be at least 1, got 0");
  k.tl.composite({.a = a, .b = b, .out = ref(0x8000 + 64 * 32 * 2, {32, 32})}).detach();  // just beside
}

TEST_CASE("Composite: an epilogue's operand must fit the output and its accumulator") {
  Kernel k;
  const Ref a = ref(0x1000, {32, 64});
  const Ref b = ref(0x8000, {64, 16});
  const Tile narrow = k.tl.zeros({1, 16}, f16);
  const Tile wide = k.tl.zeros({1, 17}, f32);
  const Tile row = k.tl.zeros({1, 16}, f32);
  refused(k, {.a = a, .b = b, .epilogue = {Step::bias(narrow)}},
          "[1, 16] f16 doesn't fit an output of [32, 16] f32");
  refused(k, {.a = a, .b = b, .epilogue = {Step::bias(wide)}}, "[1, 17] f32 doesn't fit");
  k.tl.composite({.a = a, .b = b, .epilogue = {Step::bias(row), Step::relu()}}).detach();
}

}  // namespace kbsim::test::wrong_composites_test
