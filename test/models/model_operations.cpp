// FLOP and bytes of a step's operations, by the closed forms of each.
#include "kbsim/models/model_operations.hpp"

#include <map>

#include <doctest/doctest.h>

#include "hub_models.hpp"

namespace kbsim::models::test::model_operations_test {
namespace {

// Three sizes that can't be confused.
constexpr Storage kStorage{.weight = 2, .cache = 1, .activation = 4};

// By the definition: each row counts its keys one by one.
struct KeysByHand {
  std::int64_t seen = 0;
  std::int64_t touched = 0;
};
KeysByHand keys_by_hand(const Step& step, std::int64_t window) {
  KeysByHand sum;
  for (const SequenceRows& one : step.sequences) {
    const std::int64_t last = one.context + one.rows - 1;
    std::int64_t first_touched = last;
    for (std::int64_t position = one.context; position <= last; ++position) {
      std::int64_t first = position;
      while (first > 0 && (window == 0 || position - first + 1 < window)) --first;
      sum.seen += position - first + 1;
      first_touched = std::min(first_touched, first);
    }
    sum.touched += last - first_touched + 1;
  }
  return sum;
}

std::map<OperationKind, Work> by_kind(const std::vector<Operation>& operations) {
  std::map<OperationKind, Work> all;
  for (const Operation& operation : operations) all[operation.kind] += operation.work;
  return all;
}

void check_layer(const HubModel& hub, const ModelConfig& model, const Step& step) {
  const std::int64_t h = hub.hidden;
  const std::int64_t f = hub.inner;
  const std::int64_t a = hub.heads;
  const std::int64_t g = hub.kv_heads;
  const std::int64_t d = hub.head;
  const std::int64_t t = step.rows();
  const std::int64_t w = kStorage.weight;
  const KeysByHand keys = keys_by_hand(step, hub.window);
  auto of = by_kind(layer_operations(model, model.layer_kind(0), step, kStorage));

  CHECK(of[OperationKind::qkv].flop == 2 * t * h * (a + 2 * g) * d);
  CHECK(of[OperationKind::qkv].weight_bytes == (h + (hub.qkv_bias ? 1 : 0)) * (a + 2 * g) * d * w);
  CHECK(of[OperationKind::attention].flop == 4 * a * d * keys.seen);
  CHECK(of[OperationKind::attention].cache_read == 2 * g * d * kStorage.cache * keys.touched);
  CHECK(of[OperationKind::attention].cache_written == 2 * g * d * kStorage.cache * t);
  CHECK(of[OperationKind::attention].weight_bytes == 0);
  CHECK(of[OperationKind::attention].elements == a * keys.seen);
  CHECK(of[OperationKind::output].flop == 2 * t * a * d * h);
  CHECK(of[OperationKind::output].weight_bytes == (a * d * h + (hub.other_biases ? h : 0)) * w);
  const std::int64_t mlp = of[OperationKind::gate_up].flop + of[OperationKind::down].flop;
  CHECK(mlp == (hub.gated ? 6 : 4) * t * h * f);
  CHECK(of[OperationKind::down].flop == 2 * t * h * f);
  CHECK(of[OperationKind::gate_up].weight_bytes + of[OperationKind::down].weight_bytes ==
        ((hub.gated ? 3 : 2) * h * f + (hub.other_biases ? f + h : 0)) * w);

  const std::int64_t norm = h * (hub.layer_norm ? 2 : 1) * w;
  CHECK(of[OperationKind::input_norm].weight_bytes == norm);
  CHECK(of[OperationKind::post_norm].weight_bytes == (hub.norms - 1) * norm);
  CHECK(of.contains(OperationKind::qk_norm) == hub.qk_norm);
  CHECK(of[OperationKind::qk_norm].weight_bytes == (hub.qk_norm ? 2 * d * w : 0));
  CHECK(of.contains(OperationKind::rotary) == (hub.position_rows == 0));
  CHECK(of[OperationKind::residual].elements == 2 * t * h);
  CHECK(of[OperationKind::residual].activations_read == 4 * t * h * kStorage.activation);
  CHECK(of[OperationKind::output].activations_written == t * h * kStorage.activation);
  for (const OperationKind kind : {OperationKind::input_norm, OperationKind::post_norm, OperationKind::rotary,
                                   OperationKind::residual, OperationKind::qk_norm})
    CHECK(of[kind].flop == 0);
}

void check_ends(const HubModel& hub, const ModelConfig& model, const Step& step) {
  const std::int64_t h = hub.hidden;
  const std::int64_t w = kStorage.weight;
  const Work embedding = sum_of(embedding_operations(model, step, kStorage));
  CHECK(embedding.flop == 0);
  CHECK(embedding.weight_bytes == (hub.position_rows > 0 ? 2 : 1) * step.rows() * h * w);
  auto of = by_kind(head_operations(model, step, kStorage));
  CHECK(of[OperationKind::final_norm].weight_bytes == h * (hub.layer_norm ? 2 : 1) * w);
  CHECK(of[OperationKind::head].flop == 2 * step.logit_rows() * h * hub.vocab);
  CHECK(of[OperationKind::head].weight_bytes == (h + (hub.head_bias ? 1 : 0)) * hub.vocab * w);
  CHECK(of[OperationKind::choice].elements == step.logit_rows() * hub.vocab);
}

const std::vector<Step>& steps() {
  static const std::vector<Step> all{
      prefill_step(512),
      decode_step(1024),
      decode_step(1024, 3),
      prefill_step(5000),    // longer than the windows
      decode_step(4096, 2),  // one key more than they have
      Step{{{.rows = 7, .context = 4090}, {.context = 3}, {.rows = 100, .context = 0, .logit_rows = 100}}}};
  return all;
}

}  // namespace

TEST_CASE("layer_operations: of public models, to the byte, in prefill, decode, batches and mixed steps") {
  for (const HubModel& hub : kHubModels) {
    CAPTURE(hub.file);
    for (const Step& step : steps()) {
      CAPTURE(step.rows());
      check_layer(hub, config_of(hub.file), step);
      check_ends(hub, config_of(hub.file), step);
    }
  }
}

TEST_CASE("step_work: is the sum of embedding, layers and head") {
  for (const HubModel& hub : kHubModels) {
    CAPTURE(hub.file);
    const ModelConfig model = config_of(hub.file);
    const Step step = decode_step(1024, 2);
    Work sum = sum_of(embedding_operations(model, step, kStorage));
    const Work layer = sum_of(layer_operations(model, model.layer_kind(0), step, kStorage));
    for (std::int64_t i = 0; i < hub.layers; ++i) sum += layer;
    sum += sum_of(head_operations(model, step, kStorage));
    CHECK(step_work(model, step, kStorage) == sum);
    CHECK(sum.cache_read == hub.layers * 2 * hub.kv_heads * hub.head * 2 * 1025);
  }
}

TEST_CASE("step_work: a token of Llama-3.1-8B reads 15.01 GB of weights in bf16") {
  const ModelConfig model = config_of("Llama-3.1-8B");
  const Work token = step_work(model, decode_step(0));
  CHECK(token.weight_bytes == 2 * (8'030'261'248 - 128256 * 4096 + 4096));
  CHECK((token.weight_bytes + 5'000'000) / 10'000'000 == 1501);
  CHECK(static_cast<double>(token.weight_bytes) / (128 * 204.8e9) * 1e6 ==
        doctest::Approx(572.6).epsilon(1e-4));
}

TEST_CASE("cache_bytes: 2 g d C bytes a layer and sequence") {
  CHECK(cache_bytes(config_of("Llama-3.1-8B"), 1024) == 32 * 2 * 8 * 128 * 1024 * 2);
  CHECK(cache_bytes(config_of("gemma-2b"), 10, {.cache = 1}) == 18 * 2 * 256 * 10);
}

TEST_CASE("layer_operations: in the order in which a layer computes them") {
  const auto names = [](const ModelConfig& model) {
    std::string text;
    for (const Operation& one : layer_operations(model, model.layer_kind(0), decode_step(4)))
      text += (text.empty() ? "" : ", ") + std::string{to_string(one.kind)};
    return text;
  };
  CHECK(
      names(config_of("Qwen3-8B")) ==
      "input norm, qkv, q, k norm, rotary, attention, output, residual, post norm, gate/up, down, residual");
  CHECK(names(config_of("phi-2")) ==
        "input norm, qkv, rotary, attention, output, residual, gate/up, down, residual");
  CHECK(names(config_of("gpt2")) ==
        "input norm, qkv, attention, output, residual, post norm, gate/up, down, residual");
}

TEST_CASE(
    "layer_operations: a layer without positions has no rotary operation, and a part of a head may turn") {
  const auto turned = [](const ModelConfig& model, const LayerKind& kind) {
    return by_kind(layer_operations(model, kind, prefill_step(3)))[OperationKind::rotary].elements;
  };
  const ModelConfig phi = config_of("phi-2");
  CHECK(turned(phi, {}) == 3 * (32 + 32) * 32);
  CHECK(turned(phi, {.rotary = false}) == 0);
}

TEST_CASE("keys_seen: rows of causal attention with any number of keys, with and without a window") {
  for (std::int64_t rows = 0; rows <= 6; ++rows) {
    for (std::int64_t keys = 0; keys <= 6; ++keys) {
      for (std::int64_t window = 0; window <= 7; ++window) {
        CAPTURE(rows);
        CAPTURE(keys);
        CAPTURE(window);
        const CausalRows attention{.rows = rows, .keys = keys, .window = window};
        std::int64_t seen = 0;
        std::int64_t touched = 0;
        for (std::int64_t key = 0; key < keys; ++key) {
          std::int64_t rows_of_key = 0;
          for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t place = keys - rows + row;  // the key at which the row stands
            const bool sees = key <= place && (window == 0 || key > place - window);
            const KeyRange range = keys_of_row(attention, row);
            CHECK((range.first <= key && key < range.end) == sees);
            rows_of_key += sees ? 1 : 0;
          }
          seen += rows_of_key;
          touched += rows_of_key > 0 ? 1 : 0;
        }
        CHECK(keys_seen(attention) == seen);
        const KeyRange range = keys_touched(attention);
        CHECK(range.end - range.first == touched);
      }
    }
  }
}

}  // namespace kbsim::models::test::model_operations_test
