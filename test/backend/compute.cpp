// Results of the compute engines.
#include <algorithm>
#include <cmath>

#include "suite.hpp"

namespace kbsim::test {
namespace {

// Columns 4 to 7 of the 8 x 8 numbers lie above their row's mean.
Task<> computes(TL& tl, BackendArgs args) {
  const Tile loaded = co_await tl.load(args.mine, {kRow}, f16);
  const Tile x = tl.reshape(loaded, {8, 8});
  const Tile place = tl.arange(0, 8);
  const Tile unit = tl.where(tl.eq(tl.unsqueeze(place, 1), place), 1.0, 0.0).to(f16);
  const Tile same = tl.trans(tl.dot(unit, tl.trans(x)));
  const Tile mean = tl.sum(x.to(f32), {.axis = 1, .keep_dims = true}) / 8;
  const Tile result = tl.where(x > mean, same + 1, -same);
  co_await tl.store(args.mine, tl.reshape(result.to(f16), {kRow}));
}

void engines(const RunPair& run) {
  const BackendOutcome outcome = run(computes, idle, 1);
  REQUIRE(outcome.error == "");
  for (std::size_t i = 0; i < kRow; ++i) {
    const auto x = static_cast<double>(i);
    CHECK(outcome.memory[i] == (i % 8 >= 4 ? x + 1 : -x));
  }
}

// The row is A [4, 8], which is streamed, and B [8, 2]; relu(2 A B - 3000) and A B overwrite it.
Task<> multiplies(TL& tl, BackendArgs args) {
  const Tile b = co_await tl.load(args.mine + 32, {8, 2}, f16);
  const Ref a = tl.ref(args.mine, {4, 8}, f16);
  const Ref out = tl.ref(args.mine + 48, {4, 2}, f16);
  const Tile shift = tl.full({2}, -3000.0, f32);
  co_await tl.composite(
      {.a = a, .b = b, .out = out, .epilogue = {Step::scale(2.0), Step::bias(shift), Step::relu()}});
  const Tile product = co_await tl.composite({.a = a, .b = b, .dtype = f16, .depth = 1});
  co_await tl.store(args.mine + 56, tl.reshape(product, {8}));
}

void composites(const RunPair& run) {
  const BackendOutcome outcome = run(multiplies, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t m = 0; m < 4; ++m) {
    for (std::size_t n = 0; n < 2; ++n) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 8; ++k) sum += static_cast<double>((m * 8 + k) * (32 + k * 2 + n));
      const double rounded = outcome.memory[56 + m * 2 + n];
      CHECK(std::abs(rounded - sum) <= sum / 2048);  // f16
      const double expected = std::max(0.0, 2.0 * sum - 3000.0);
      CHECK(std::abs(outcome.memory[48 + m * 2 + n] - expected) <= expected / 2048);
    }
  }
}

// i / 3 of i from 0 on, in f32, toward zero into f16 and to nearest; and the bits of the first as i16.
Task<> casts(TL& tl, BackendArgs args) {
  const Tile x = tl.arange(0, kRow / 4).to(f32) / 3.0;
  const Tile down = x.to(f16, Round::rtz);
  const Tile bits = down.bitcast(DType::i16);
  co_await tl.store(args.mine, down);
  co_await tl.store(args.mine + kRow / 4, x.to(f16));
  co_await tl.store(args.mine + kRow / 2, (bits & 1).to(f16));
  co_await tl.store(args.mine + 3 * kRow / 4, bits.bitcast(f16));
}

void roundings(const RunPair& run) {
  const BackendOutcome outcome = run(casts, idle, 1);
  CAPTURE(outcome.error);
  REQUIRE(outcome.error.empty());
  for (std::size_t i = 0; i < kRow / 4; ++i) {
    const double x = static_cast<double>(static_cast<float>(i) / 3.0F);
    const double spacing = i == 0 ? 1.0 : std::ldexp(1.0, std::ilogb(x) - 10);
    const double down = std::floor(x / spacing);
    CHECK(outcome.memory[i] == down * spacing);
    CHECK(outcome.memory[kRow / 4 + i] == std::nearbyint(x / spacing) * spacing);
    CHECK(outcome.memory[kRow / 2 + i] == std::fmod(down, 2.0));
    CHECK(outcome.memory[3 * kRow / 4 + i] == down * spacing);
  }
}

}  // namespace

std::vector<BackendCase> compute_cases() {
  return {
      {"shapes, comparisons, reductions and products give the numbers they say", engines},
      {"a composite is a product with its epilogue, into memory or a tile", composites},
      {"casts go to the nearest or toward zero, and bits stay bits", roundings},
  };
}

}  // namespace kbsim::test
