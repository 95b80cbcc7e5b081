// Slices and scans of tiles, in the mock and on the machine, against their definitions.
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/tl/kernel.hpp"

#include "both.hpp"

namespace kbsim::test::scans_test {
namespace {

struct SliceArgs3 {
  Ptr x, out;
  Shape shape;
  int axis = 0;
  std::int64_t begin = 0, end = 0;
};

Task<> test_slice(TL& tl, SliceArgs3 args) {
  const Tile x = co_await tl.load(args.x, args.shape, args.x.dtype);
  const Tile part = tl.slice(x, {.axis = args.axis, .begin = args.begin, .end = args.end});
  co_await tl.store(args.out, part);
}
KBSIM_KERNEL(test_slice, "a part of a tile");

struct ScanKernelArgs {
  Ptr x, y, out;
  std::int64_t rows = 0, cols = 0;
  int axis = 0;
  bool reverse = false;
};

Task<> test_cumulative(TL& tl, ScanKernelArgs args) {
  const Tile x = co_await tl.load(args.x, {args.rows, args.cols}, args.x.dtype);
  const Tile sums = tl.cumsum(x, {.axis = args.axis, .reverse = args.reverse});
  const Tile products = tl.cumprod(x, {.axis = args.axis, .reverse = args.reverse});
  co_await tl.store(args.out, sums);
  co_await tl.store(args.out + args.rows * args.cols, products);
}
KBSIM_KERNEL(test_cumulative, "running sums, then running products");

using Pair = std::array<Tile, 2>;

// Composes the maps h -> a h + b: the second after the first. Associative, but not commutative.
Pair composed(TL&, const Pair& first, const Pair& second) {
  return {first[0] * second[0], first[1] * second[0] + second[1]};
}

Task<> test_recurrence(TL& tl, ScanKernelArgs args) {
  const Tile a = co_await tl.load(args.x, {args.rows, args.cols}, args.x.dtype);
  const Tile b = co_await tl.load(args.y, {args.rows, args.cols}, args.y.dtype);
  const ScanArgs along{.axis = args.axis, .reverse = args.reverse};
  const auto [factor, term] = tl.associative_scan(std::array{a, b}, along, composed);
  co_await tl.store(args.out, term);
}
KBSIM_KERNEL(test_recurrence, "h = a h + b along an axis, from h = 0");

// A lambda that isn't a coroutine may capture.
Task<> test_largest(TL& tl, ScanKernelArgs args) {
  const Tile x = co_await tl.load(args.x, {args.rows, args.cols}, args.x.dtype);
  const double floor = -0.25;
  const auto larger = [floor](TL& on, const Tile& a, const Tile& b) {
    return on.maximum(on.maximum(a, floor), on.maximum(b, floor));
  };
  co_await tl.store(args.out, tl.associative_scan(x, {.axis = args.axis, .reverse = args.reverse}, larger));
}
KBSIM_KERNEL(test_largest, "running maximum, not below a floor once there are two elements");

struct Drawn {
  std::int64_t rows, cols;
  int axis;
  bool reverse;

  explicit Drawn(std::uint64_t seed) {
    Random random{seed};
    constexpr std::array<std::int64_t, 7> kExtents{1, 2, 3, 7, 8, 16, 33};
    rows = kExtents[random.below(7)];
    cols = kExtents[random.below(7)];
    axis = static_cast<int>(random.below(2));
    reverse = random.below(2) == 1;
  }
  [[nodiscard]] std::int64_t elements() const { return rows * cols; }
  [[nodiscard]] std::function<std::any(const std::vector<Ptr>&, Ptr)> arguments() const {
    return [*this](const std::vector<Ptr>& in, Ptr out) {
      return std::any{ScanKernelArgs{.x = in[0],
                                     .y = in.back(),
                                     .out = out,
                                     .rows = rows,
                                     .cols = cols,
                                     .axis = axis,
                                     .reverse = reverse}};
    };
  }
  /// Calls `step(before, at)` for each element in the order of the scan; `before` is -1 for the first.
  template <class Step>
  void walk(const Step& step) const {
    const std::int64_t n = axis == 0 ? rows : cols;
    const std::int64_t stride = axis == 0 ? cols : 1;
    for (std::int64_t line = 0; line < elements() / n; ++line) {
      const std::int64_t first = axis == 0 ? line : line * cols;
      std::int64_t before = -1;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t at = first + (reverse ? n - 1 - i : i) * stride;
        step(before, static_cast<std::size_t>(at));
        before = at;
      }
    }
  }
};

}  // namespace

TEST_CASE("Slices: any axis and part of a tile, alone and on the machine") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const auto extent = [&] { return static_cast<std::int64_t>(1 + random.below(6)); };
    const Shape shape{extent(), extent(), extent()};
    const auto axis = static_cast<int>(random.below(3));
    const auto begin = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape[axis])));
    const auto n =
        1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape[axis] - begin)));
    const Array x = normal(shape.elements(), f16, static_cast<unsigned>(seed));
    Numbers expected;
    for (std::int64_t i = 0; i < shape[0]; ++i) {
      for (std::int64_t j = 0; j < shape[1]; ++j) {
        for (std::int64_t k = 0; k < shape[2]; ++k) {
          const std::int64_t at = axis == 0 ? i : axis == 1 ? j : k;
          if (at < begin || at >= begin + n) continue;
          expected.push_back(x.numbers[static_cast<std::size_t>((i * shape[1] + j) * shape[2] + k)]);
        }
      }
    }
    check_both({.kernel = "test_slice",
                .in = {x},
                .out = static_cast<std::int64_t>(expected.size()),
                .out_dtype = f16,
                .arguments =
                    [=](const std::vector<Ptr>& in, Ptr out) {
                      return std::any{SliceArgs3{in[0], out, shape, axis, begin, begin + n}};
                    }},
               expected, 0.0);
  }
}

TEST_CASE("Scans: running sums and products, from either end") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Drawn drawn{seed};
    const Array x = normal(drawn.elements(), f32, static_cast<unsigned>(seed));
    const auto n = static_cast<std::size_t>(drawn.elements());
    Numbers expected(2 * n);
    drawn.walk([&](std::int64_t before, std::size_t at) {
      const auto last = static_cast<std::size_t>(before);
      expected[at] = x.numbers[at] + (before < 0 ? 0.0 : expected[last]);
      expected[n + at] = x.numbers[at] * (before < 0 ? 1.0 : expected[n + last]);
    });
    check_both(
        {.kernel = "test_cumulative", .in = {x}, .out = 2 * drawn.elements(), .arguments = drawn.arguments()},
        expected, 1e-5);
  }
}

TEST_CASE("Scans: a recurrence of two tiles gives what a loop gives, whatever the extent and the end") {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    CAPTURE(seed);
    const Drawn drawn{seed};
    const Array a = normal(drawn.elements(), f32, static_cast<unsigned>(seed), 0.7);
    const Array b = normal(drawn.elements(), f32, static_cast<unsigned>(seed) + 100);
    Numbers expected(a.numbers.size());
    drawn.walk([&](std::int64_t before, std::size_t at) {
      const double h = before < 0 ? 0.0 : expected[static_cast<std::size_t>(before)];
      expected[at] = a.numbers[at] * h + b.numbers[at];
    });
    check_both(
        {.kernel = "test_recurrence", .in = {a, b}, .out = drawn.elements(), .arguments = drawn.arguments()},
        expected, 1e-5);
  }
}

TEST_CASE("Scans: a function may capture, and one element stays as it is") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Drawn drawn{seed};
    const Array x = normal(drawn.elements(), f32, static_cast<unsigned>(seed));
    Numbers expected(x.numbers.size());
    drawn.walk([&](std::int64_t before, std::size_t at) {
      expected[at] = x.numbers[at];
      if (before >= 0)
        expected[at] = std::max({-0.25, expected[at], expected[static_cast<std::size_t>(before)]});
    });
    check_both({.kernel = "test_largest", .in = {x}, .out = drawn.elements(), .arguments = drawn.arguments()},
               expected, 0.0);
  }
}

}  // namespace kbsim::test::scans_test
