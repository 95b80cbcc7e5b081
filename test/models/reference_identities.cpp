// The same logits by another way: what must agree whatever the weights are.
#include <doctest/doctest.h>

#include "kbsim/models/model_reference.hpp"

#include "small_models.hpp"

namespace kbsim::models::test::reference_identities_test {
namespace {

using Tokens = std::vector<std::int64_t>;

const Tokens kTokens{3, 16, 0, 7, 7, 11, 2, 5};

std::vector<double> row_of(const ModelConfig& model, const std::vector<double>& logits, std::size_t row) {
  const auto size = static_cast<std::ptrdiff_t>(model.vocab_size);
  const auto from = logits.begin() + static_cast<std::ptrdiff_t>(row) * size;
  return {from, from + size};
}

// The first tokens fill the cache; the others follow in pieces of that size.
std::vector<double> in_pieces(const ModelConfig& model, std::size_t first, std::size_t piece) {
  const ReferenceModel reference{model, drawn};
  ReferenceCache cache = reference.empty_cache();
  std::vector<double> all = reference.logits(std::span{kTokens}.first(first), cache);
  for (std::size_t at = first; at < kTokens.size(); at += piece) {
    const auto more =
        reference.logits(std::span{kTokens}.subspan(at, std::min(piece, kTokens.size() - at)), cache);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

ModelConfig one_layer(const LayerKind& kind) {
  ModelConfig model = small_llama();
  model.num_hidden_layers = 1;
  model.layer_kinds = {kind};
  return model;
}

}  // namespace

TEST_CASE("ReferenceModel: decoding after a cache gives what a prefill of all tokens gives") {
  for (const ModelConfig& model : small_models()) {
    const std::vector<double> all = prefill(model, kTokens);
    for (const std::size_t first : {1, 4, 7}) {
      CHECK(farthest(in_pieces(model, first, 1), all) < 1e-12);
      CHECK(farthest(in_pieces(model, first, 3), all) < 1e-12);
    }
  }
}

TEST_CASE("ReferenceModel: no row depends on later tokens, and each on the earlier ones") {
  for (const ModelConfig& model : small_models()) {
    const std::vector<double> logits = prefill(model, kTokens);
    Tokens other = kTokens;
    other.back() = 1;
    other[6] = 1;
    const std::vector<double> changed = prefill(model, other);
    CHECK(farthest(row_of(model, logits, 5), row_of(model, changed, 5)) == 0.0);
    CHECK(farthest(row_of(model, logits, 6), row_of(model, changed, 6)) > 1e-6);
    other = kTokens;
    other[6] = 1;
    CHECK(farthest(row_of(model, logits, 7), row_of(model, prefill(model, other), 7)) > 1e-6);
  }
}

TEST_CASE("ReferenceModel: a window of all tokens or more changes nothing, a smaller one does") {
  const std::vector<double> all = prefill(one_layer({}), kTokens);
  CHECK(farthest(prefill(one_layer({.window = 8}), kTokens), all) == 0.0);
  CHECK(farthest(prefill(one_layer({.window = 100}), kTokens), all) == 0.0);
  const ModelConfig narrow = one_layer({.window = 7});
  const std::vector<double> seven = prefill(narrow, kTokens);
  CHECK(farthest(row_of(narrow, seven, 6), row_of(narrow, all, 6)) == 0.0);
  CHECK(farthest(row_of(narrow, seven, 7), row_of(narrow, all, 7)) > 1e-6);
}

TEST_CASE("ReferenceModel: in a layer with a window, a row sees the last tokens as if there were no others") {
  for (const std::int64_t window : {1, 3, 5}) {
    const ModelConfig model = one_layer({.window = window});
    const Tokens last(kTokens.end() - window, kTokens.end());
    CHECK(farthest(last_row(model, prefill(model, kTokens)), last_row(model, prefill(one_layer({}), last))) <
          1e-12);
  }
}

TEST_CASE("ReferenceModel: rotary positions count from anywhere, and matter") {
  // Cached keys and new tokens at positions that are all 5 later: only distances count in one layer.
  const ModelConfig model = one_layer({.window = 3});
  Tokens shifted{1, 1, 1, 1, 1};
  shifted.insert(shifted.end(), kTokens.begin(), kTokens.end());
  CHECK(farthest(last_row(model, prefill(model, shifted)), last_row(model, prefill(model, kTokens))) < 1e-12);
  ModelConfig none = model;
  none.positions = Positions::none;
  CHECK(farthest(prefill(none, kTokens), prefill(model, kTokens)) > 1e-6);
  CHECK(farthest(prefill(none, kTokens), prefill(one_layer({.window = 3, .rotary = false}), kTokens)) == 0.0);
}

TEST_CASE("ReferenceModel: elements after the part of a head that turns stay") {
  ModelConfig part = small_llama();
  part.rope.dims = 2;
  ModelConfig none = small_llama();
  none.positions = Positions::none;
  const auto without_the_part = [&](Weight weight, std::int64_t layer, std::int64_t row,
                                    std::int64_t column) {
    const bool turns = (weight == Weight::q || weight == Weight::k) && column % part.head_dim < 2;
    return turns ? 0.0 : drawn(weight, layer, row, column);
  };
  CHECK(farthest(prefill(part, kTokens, without_the_part), prefill(none, kTokens, without_the_part)) == 0.0);
  CHECK(farthest(prefill(part, kTokens), prefill(none, kTokens)) > 1e-6);
  CHECK(farthest(prefill(small_llama(), kTokens, without_the_part),
                 prefill(none, kTokens, without_the_part)) > 1e-6);
}

TEST_CASE("ReferenceModel: a tied head is a head with the embedding's elements") {
  ModelConfig tied = small_llama();
  tied.tie_word_embeddings = true;
  const auto same = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    return weight == Weight::head ? drawn(Weight::embedding, layer, column, row)
                                  : drawn(weight, layer, row, column);
  };
  CHECK(farthest(prefill(tied, kTokens), prefill(small_llama(), kTokens, same)) == 0.0);
  CHECK(farthest(prefill(tied, kTokens), prefill(small_llama(), kTokens)) > 1e-6);
}

TEST_CASE("ReferenceModel: grouped heads are as many heads with equal keys and values in a group") {
  for (const std::int64_t groups : {1, 2}) {
    ModelConfig grouped = small_llama();
    grouped.num_key_value_heads = groups;
    ModelConfig many = small_llama();
    many.num_key_value_heads = many.num_attention_heads;
    const auto repeated = [&](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
      if (weight != Weight::k && weight != Weight::v) return drawn(weight, layer, row, column);
      const std::int64_t head = column / grouped.head_dim / (grouped.num_attention_heads / groups);
      return drawn(weight, layer, row, head * grouped.head_dim + column % grouped.head_dim);
    };
    CHECK(farthest(prefill(grouped, kTokens), prefill(many, kTokens, repeated)) < 1e-12);
  }
}

TEST_CASE("ReferenceModel: interleaved pairs are halves with other columns of queries and keys") {
  ModelConfig halves = small_llama();
  ModelConfig pairs = small_llama();
  pairs.rope.interleaved = true;
  const auto other_columns = [&](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    if (weight != Weight::q && weight != Weight::k) return drawn(weight, layer, row, column);
    const std::int64_t d = pairs.head_dim;
    const std::int64_t i = column % d;  // in pairs: 2 j and 2 j + 1 are j and j + d/2 in halves
    return drawn(weight, layer, row, column - i + i / 2 + (i % 2) * d / 2);
  };
  CHECK(farthest(prefill(halves, kTokens), prefill(pairs, kTokens, other_columns)) < 1e-12);
  CHECK(farthest(prefill(halves, kTokens), prefill(pairs, kTokens)) > 1e-6);
}

TEST_CASE("ReferenceModel: norms of queries and keys take their sizes away") {
  ModelConfig model = small_llama();
  model.qk_norm = true;
  model.norm_eps = 0.0;
  const auto larger = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    return drawn(weight, layer, row, column) * (weight == Weight::q ? 3.0 : weight == Weight::k ? 7.0 : 1.0);
  };
  CHECK(farthest(prefill(model, kTokens), prefill(model, kTokens, larger)) < 1e-12);
  model.qk_norm = false;
  CHECK(farthest(prefill(model, kTokens), prefill(model, kTokens, larger)) > 1e-6);
}

TEST_CASE("ReferenceModel: norms by 1 + weight are norms with weights larger by 1") {
  ModelConfig gemma = small_llama();
  gemma.norm_plus_one = true;
  const auto one_more = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    const bool norm =
        weight == Weight::input_norm || weight == Weight::post_norm || weight == Weight::final_norm;
    return drawn(weight, layer, row, column) + (norm ? 1.0 : 0.0);
  };
  CHECK(farthest(prefill(gemma, kTokens), prefill(small_llama(), kTokens, one_more)) == 0.0);
}

TEST_CASE("ReferenceModel: a norm without weights is one with ones") {
  ModelConfig olmo = small_gpt2();
  olmo.norm_weight = false;
  olmo.norm_bias = false;
  const auto neutral = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    switch (weight) {
      case Weight::input_norm:
      case Weight::post_norm:
      case Weight::final_norm: return 1.0;
      case Weight::input_norm_bias:
      case Weight::post_norm_bias:
      case Weight::final_norm_bias: return 0.0;
      default: return drawn(weight, layer, row, column);
    }
  };
  CHECK(farthest(prefill(olmo, kTokens), prefill(small_gpt2(), kTokens, neutral)) == 0.0);
}

TEST_CASE("ReferenceModel: an MLP beside attention sees the layer's input, by one norm or two") {
  ModelConfig one = small_gpt2();
  one.mlp_input = MlpInput::attention_norm;
  ModelConfig two = one;
  two.mlp_input = MlpInput::own_norm;
  const auto same_norms = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    if (weight == Weight::post_norm) return drawn(Weight::input_norm, layer, row, column);
    if (weight == Weight::post_norm_bias) return drawn(Weight::input_norm_bias, layer, row, column);
    return drawn(weight, layer, row, column);
  };
  CHECK(farthest(prefill(one, kTokens), prefill(two, kTokens, same_norms)) == 0.0);
  CHECK(farthest(prefill(one, kTokens), prefill(two, kTokens)) > 1e-6);
  // Without attention's output, beside is the same as after.
  const auto silent_attention = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    const bool off = weight == Weight::output || weight == Weight::output_bias;
    return off ? 0.0 : drawn(weight, layer, row, column);
  };
  CHECK(farthest(prefill(two, kTokens, silent_attention), prefill(small_gpt2(), kTokens, silent_attention)) ==
        0.0);
}

TEST_CASE("ReferenceModel: a batch of sequences gives what each gives alone, of the rows asked for") {
  for (const ModelConfig& model : small_models()) {
    const ReferenceModel reference{model, drawn};
    ReferenceCache first = reference.empty_cache();
    ReferenceCache second = reference.empty_cache();
    (void)reference.logits(Tokens{4, 4, 9}, first);
    const std::vector<ReferenceSequence> batch{{.tokens = {8}, .cache = &first},
                                               {.tokens = kTokens, .cache = &second, .logit_rows = 2}};
    std::vector<double> expected = last_row(model, prefill(model, {4, 4, 9, 8}));
    const std::vector<double> alone = prefill(model, kTokens);
    expected.insert(expected.end(), alone.end() - 2 * model.vocab_size, alone.end());
    CHECK(farthest(reference.logits(batch), expected) < 1e-12);
    CHECK(first.tokens == 4);
    CHECK(second.tokens == 8);
  }
}

TEST_CASE("ReferenceModel: a cache may be given, keys as they are after their turn") {
  const ModelConfig model = one_layer({});
  const ReferenceModel reference{model, drawn};
  ReferenceCache given = reference.empty_cache();
  (void)reference.logits(std::span{kTokens}.first(5), given);
  ReferenceCache copy = reference.empty_cache();
  copy.tokens = 5;
  copy.keys = given.keys;
  copy.values = given.values;
  CHECK(copy.keys.front().size() == 5U * 12U);
  const std::vector<double> next = reference.logits(Tokens{2}, copy);
  CHECK(farthest(next, reference.logits(Tokens{2}, given)) == 0.0);
  copy = given;
  copy.values.front().front() += 1.0;
  CHECK(farthest(reference.logits(Tokens{2}, copy), reference.logits(Tokens{2}, given)) > 1e-9);
}

}  // namespace kbsim::models::test::reference_identities_test
