// Attention on all PEs of a package in the mock: values, the cache, and what isn't read.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "kbsim/mock/mock_wiring.hpp"
#include "kbsim/mock/world.hpp"

#include "llm_attention.hpp"

namespace kbsim::test::llm_attention_mock {
namespace {

using Contexts = std::vector<std::int64_t>;

// A package in the mock that keeps its cache from step to step.
class Package {
 public:
  Package(const LlmAttention& attention, const Contexts& contexts)
      : attention_{attention},
        world_{mock::like(attention.machine(), attention.queues())},
        keys_{world_.alloc(0, attention.keys(contexts), attention.dtype)},
        values_{world_.alloc(0, attention.values(contexts), attention.dtype)},
        cos_{world_.alloc(0, attention.cos().numbers, f32)},
        sin_{world_.alloc(0, attention.sin().numbers, f32)},
        q_norm_{world_.alloc(0, attention.q_norm().numbers, attention.dtype)},
        k_norm_{world_.alloc(0, attention.k_norm().numbers, attention.dtype)} {}

  // The result of one more row of each sequence.
  Numbers decode(const Contexts& contexts) {
    Numbers rows;
    for (std::int64_t sequence = 0; sequence < attention_.sequences; ++sequence)
      append(rows, attention_.row(sequence, contexts[static_cast<std::size_t>(sequence)]));
    llm::DecodeAttentionArgs args = attention_.decode_args();
    args.contexts = &contexts;
    return run("decode_attention", args, rows);
  }

  // The result of rows of some sequences, from this one on.
  Numbers prefill(std::int64_t sequence, std::int64_t context, std::int64_t count,
                  std::int64_t sequences = 1) {
    Numbers rows;
    for (std::int64_t i = 0; i < sequences * count; ++i)
      append(rows, attention_.row(sequence + i / count, context + i % count));
    llm::PrefillAttentionArgs args = attention_.prefill_args(sequence, context, count, sequences);
    args.stage.base = world_.alloc(0, attention_.grid.all() * args.stage.stride, attention_.dtype);
    return run("prefill_attention", args, rows);
  }

  // Largest differences of the cache from that of sequences with so many positions; infinite if a number is
  // where none should be.
  double cache_error(const Contexts& contexts) {
    const auto size = static_cast<std::int64_t>(attention_.keys(contexts).size());
    return std::max(error(world_.read(0, keys_, size), attention_.keys(contexts)),
                    error(world_.read(0, values_, size), attention_.values(contexts)));
  }

  static double error(const Numbers& actual, const Numbers& expected) {
    REQUIRE(actual.size() == expected.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (std::isnan(actual[i]) != std::isnan(expected[i])) return INFINITY;
      if (!std::isnan(actual[i])) largest = std::max(largest, std::abs(actual[i] - expected[i]));
    }
    return largest;
  }

 private:
  static void append(Numbers& to, const Numbers& row) { to.insert(to.end(), row.begin(), row.end()); }

  template <class Args>
  Numbers run(const std::string& kernel, Args args, const Numbers& rows) {
    args.qkv.base = world_.alloc(0, attention_.divided(args.qkv, rows), attention_.dtype);
    args.out.base = world_.alloc(0, attention_.grid.all() * args.out.stride, attention_.dtype);
    args.cache.keys = keys_;
    args.cache.values = values_;
    args.rotary.cos = cos_;
    args.rotary.sin = sin_;
    args.norms.q = q_norm_;
    args.norms.k = k_norm_;
    world_.run(kernel, args);
    return attention_.joined(args.out,
                             world_.read(0, args.out.base, attention_.grid.all() * args.out.stride));
  }

  LlmAttention attention_;
  mock::World world_;
  Ptr keys_, values_, cos_, sin_, q_norm_, k_norm_;
};

std::string text(const LlmAttention& a, const Contexts& contexts) {
  std::string result = "grid " + std::to_string(a.grid.w) + " x " + std::to_string(a.grid.h) + " of " +
                       std::to_string(a.grid.pes) + ", heads " + std::to_string(a.heads) + " / " +
                       std::to_string(a.kv_heads) + " of " + std::to_string(a.d) + ", rotary " +
                       std::to_string(a.rotary) + ", window " + std::to_string(a.window) + ", contexts";
  for (const std::int64_t context : contexts) result += " " + std::to_string(context);
  return result;
}

Numbers expected(const LlmAttention& a, const Contexts& contexts) {
  Numbers all;
  for (std::int64_t sequence = 0; sequence < a.sequences; ++sequence) {
    const std::int64_t position = contexts[static_cast<std::size_t>(sequence)];
    const Numbers row = a.expected(sequence, {position, 1});
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

double tolerance(const LlmAttention& a) { return a.dtype == f32 ? 1e-5 : 4e-2; }

void check_decode(const LlmAttention& a, Contexts contexts) {
  CAPTURE(text(a, contexts));
  Package package{a, contexts};
  CHECK(Package::error(package.decode(contexts), expected(a, contexts)) < tolerance(a));
  for (std::int64_t& context : contexts) ++context;
  CHECK(package.cache_error(contexts) < tolerance(a));
}

void check_prefill(const LlmAttention& a, std::int64_t sequence, std::int64_t context, std::int64_t rows) {
  Contexts contexts(static_cast<std::size_t>(a.sequences), 0);
  contexts[static_cast<std::size_t>(sequence)] = context;
  CAPTURE(text(a, contexts));
  CAPTURE(rows);
  Package package{a, contexts};
  const Numbers actual = package.prefill(sequence, context, rows);
  CHECK(Package::error(actual, a.expected(sequence, {context, rows})) < tolerance(a));
  contexts[static_cast<std::size_t>(sequence)] = context + rows;
  CHECK(package.cache_error(contexts) < tolerance(a));
}

// All sequences at once.
void check_prefills(const LlmAttention& a, std::int64_t context, std::int64_t rows) {
  Contexts contexts(static_cast<std::size_t>(a.sequences), context);
  CAPTURE(text(a, contexts));
  CAPTURE(rows);
  Package package{a, contexts};
  const Numbers actual = package.prefill(0, context, rows, a.sequences);
  Numbers expected;
  for (std::int64_t sequence = 0; sequence < a.sequences; ++sequence) {
    const Numbers one = a.expected(sequence, {context, rows});
    expected.insert(expected.end(), one.begin(), one.end());
  }
  CHECK(Package::error(actual, expected) < tolerance(a));
  for (std::int64_t& end : contexts) end += rows;
  CHECK(package.cache_error(contexts) < tolerance(a));
}

// Draws sizes of an attention: even, odd, more heads than PEs and fewer.
LlmAttention drawn(std::mt19937& random) {
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution{least, most}(random); };
  LlmAttention a;
  a.grid = {.w = draw(1, 3), .h = draw(1, 3), .pes = draw(1, 4)};
  a.kv_heads = draw(1, 5);
  a.heads = a.kv_heads * draw(1, 4);
  a.d = 2 * draw(1, 6);
  a.rotary = 2 * draw(0, static_cast<int>(a.d / 2));
  a.window = draw(0, 2) == 0 ? draw(1, 60) : 0;
  a.sequences = draw(1, 4);
  a.capacity = draw(100, 150);
  a.block_keys = draw(1, 40);
  a.block_rows = draw(1, 20);
  a.stage_slots = draw(16, 80);
  a.slots = draw(1, 4);
  a.seed = static_cast<unsigned>(draw(0, 1'000'000));
  a.interleaved = draw(0, 2) == 0;
  a.norms = draw(0, 2) == 0;
  return a;
}

}  // namespace

TEST_CASE("decode_attention: equals plain attention, whatever the grid, the heads and the contexts") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const LlmAttention a = drawn(random);
    Contexts contexts;
    for (std::int64_t i = 0; i < a.sequences; ++i)
      contexts.push_back(std::uniform_int_distribution<std::int64_t>{0, 99}(random));
    check_decode(a, contexts);
  }
}

TEST_CASE(
    "prefill_attention: equals plain attention, whatever the grid, the heads, the context and the rows") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const LlmAttention a = drawn(random);
    const std::int64_t context = std::uniform_int_distribution<std::int64_t>{0, 3}(random) * 17;
    const std::int64_t rows = std::uniform_int_distribution<std::int64_t>{1, 49}(random);
    check_prefill(a, a.sequences - 1, context, rows);
  }
}

TEST_CASE("prefill_attention: rows of several sequences see their own sequence alone") {
  for (unsigned seed = 100; seed < 130; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    LlmAttention a = drawn(random);
    a.sequences = std::uniform_int_distribution<std::int64_t>{2, 4}(random);
    const std::int64_t context = std::uniform_int_distribution<std::int64_t>{0, 2}(random) * 17;
    check_prefills(a, context, std::uniform_int_distribution<std::int64_t>{1, 40}(random));
  }
}

// Keys of a cube's own PEs come first: positions from 64 on, where rows begin at 60.
TEST_CASE("prefill_attention: rows may meet only keys that they don't see first, at any scale") {
  for (const std::int64_t d : {2, 6, 8, 10, 12}) {
    const LlmAttention a{.grid = {.w = 3, .h = 1, .pes = 4},
                         .heads = 8,
                         .kv_heads = 2,
                         .d = d,
                         .capacity = 100,
                         .block_rows = 2,
                         .block_keys = 16};
    check_prefill(a, 0, 60, 20);
  }
}

TEST_CASE("prefill_attention: without a causal mask each row sees all positions") {
  for (const std::int64_t context : {0, 5, 40}) {
    LlmAttention a{.grid = {.w = 2, .h = 1, .pes = 3}, .causal = false};
    check_prefill(a, 0, context, 23);
  }
}

TEST_CASE("decode_attention and prefill_attention: bf16 within its tolerance") {
  const LlmAttention a{.grid = {.w = 2, .h = 2, .pes = 2},
                       .heads = 8,
                       .kv_heads = 2,
                       .d = 16,
                       .sequences = 3,
                       .rotary = 16,
                       .dtype = bf16};
  check_decode(a, {37, 0, 16});
  check_prefill(a, 2, 20, 30);
}

TEST_CASE("decode_attention: a head's output that is longer than a slot travels in parts") {
  for (const int slots : {1, 4}) {
    const LlmAttention a{.grid = {.w = 2, .h = 2, .pes = 2, .slot_bytes = 64},
                         .heads = 12,
                         .kv_heads = 1,
                         .d = 8,
                         .sequences = 3,
                         .slots = slots};
    check_decode(a, {50, 3, 20});
  }
}

TEST_CASE("decode_attention after prefill_attention equals prefill_attention of one more row") {
  for (const std::int64_t rows : {1, 15, 16, 33}) {
    const LlmAttention a{.grid = {.w = 3, .h = 1, .pes = 2}, .rotary = 6, .window = 20};
    Package package{a, {0}};
    (void)package.prefill(0, 0, rows);
    const Numbers one = package.decode({rows});
    Package other{a, {0}};
    const Numbers all = other.prefill(0, 0, rows + 1);
    const Numbers last{all.end() - a.heads * a.d, all.end()};
    CAPTURE(rows);
    CHECK(Package::error(one, last) < 1e-5);
  }
}

TEST_CASE("prefill_attention in chunks equals prefill_attention at once") {
  const LlmAttention a{.grid = {.w = 2, .h = 1, .pes = 4}, .rotary = 8};
  Package at_once{a, {0}};
  Package chunks{a, {0}};
  const Numbers all = at_once.prefill(0, 0, 40);
  (void)chunks.prefill(0, 0, 21);
  const Numbers rest = chunks.prefill(0, 21, 19);
  CHECK(Package::error(rest, {all.end() - 19 * a.heads * a.d, all.end()}) < 1e-5);
}

TEST_CASE("KvCache: each position of each head has a slot of its own, on the PEs of its head") {
  for (const int pes : {1, 3, 8}) {
    for (const std::int64_t kv_heads : {1, 2, 5, 30}) {
      const LlmAttention a{.grid = {.w = 2, .h = 1, .pes = pes}, .heads = kv_heads, .kv_heads = kv_heads};
      const llm::KvCache cache = a.cache();
      std::vector<std::int64_t> used(static_cast<std::size_t>(cache.splits()), 0);
      for (std::int64_t position = 0; position < a.capacity; ++position) {
        const std::int64_t split = cache.split_at(position);
        CHECK(cache.slot_at(position) == used[static_cast<std::size_t>(split)]++);
        CHECK(cache.position_of(split, cache.slot_at(position)) == position);
        for (std::int64_t of = 0; of < cache.splits(); ++of)
          CHECK(cache.slots_before(of, position + 1) == used[static_cast<std::size_t>(of)]);
        for (std::int64_t head = 0; head < kv_heads; ++head) {
          const llm::Part heads = cache.heads_of(cache.pe_of(head, split));
          CHECK((heads.begin <= head && head < heads.end()));
        }
      }
      CHECK(cache.slots() == std::ranges::max(used));
    }
  }
}

}  // namespace kbsim::test::llm_attention_mock
