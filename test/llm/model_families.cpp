// Small models with the parts of each family, against the undivided model in f64.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "kbsim/models/model_config.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::model_families {
namespace {

using models::ModelConfig;

// A family's layers, in odd_model()'s sizes.
ModelConfig small(ModelConfig model) {
  const ModelConfig sizes = odd_model();
  const std::int64_t group = model.num_attention_heads / model.num_key_value_heads;
  if (model.rope.dims) model.rope.dims = *model.rope.dims * sizes.head_dim / model.head_dim / 2 * 2;
  model.num_attention_heads = sizes.num_attention_heads;
  model.num_key_value_heads = group == 1 ? sizes.num_attention_heads : model.num_key_value_heads == 1 ? 1 : 2;
  model.hidden_size = sizes.hidden_size;
  model.head_dim = sizes.head_dim;
  model.intermediate_size = sizes.intermediate_size;
  model.num_hidden_layers = sizes.num_hidden_layers;
  model.vocab_size = sizes.vocab_size;
  model.position_rows = 40 + model.first_position_row;
  model.torch_dtype = f32;
  model.layer_kinds.resize(std::min<std::size_t>(model.layer_kinds.size(), 2));
  for (models::LayerKind& kind : model.layer_kinds) kind.window = std::min<std::int64_t>(kind.window, 7);
  return model;
}

// After a prefill of several prompts, and after contexts of their own.
void check_values(const ModelConfig& model) {
  const config::MachineSpec machine = package(2, 1, 2);
  for (const char* mapping : {"columns", "blocks"}) {
    CAPTURE(mapping);
    const LlmProblem prompts{.model = model, .prompt = 13, .batch = 2, .mapping = mapping};
    for (const StepRun& step : outcome_of(prompts, machine).run.steps) {
      CAPTURE(to_string(step.phase));
      CAPTURE(step.logits.max_abs);
      CHECK(step.logits.ok);
    }
    const LlmProblem caches{
        .model = model, .phases = {Phase::decode}, .batch = 3, .contexts = {5, 38, 17}, .mapping = mapping};
    const Outcome outcome = outcome_of(caches, machine);
    CAPTURE(outcome.run.steps.front().logits.max_abs);
    CHECK(outcome.run.steps.front().logits.ok);
  }
}

ModelConfig with(auto change) {
  ModelConfig model = odd_model();
  change(model);
  return model;
}

}  // namespace

TEST_CASE("llm: models of each family's config.json, in small, have the undivided model's logits") {
  int checked = 0;
  for (const auto& file : std::filesystem::directory_iterator{KBSIM_SOURCE_DIR "/test/models/configs"}) {
    CAPTURE(file.path().filename().string());
    check_values(small(models::read_model_config(file.path().string())));
    ++checked;
  }
  CHECK(checked >= 9);
}

TEST_CASE("llm: learned positions from a later row on, and no final norm (OPT)") {
  check_values(with([](auto& model) {
    model.positions = models::Positions::learned;
    model.first_position_row = 2;
    model.position_rows = 42;
    model.rms_norm = false;
    model.hidden_act = models::HiddenAct::relu;
    model.gated_mlp = false;
    model.attention_bias = model.mlp_bias = true;
  }));
}

TEST_CASE("llm: neighbouring elements turn, all of a head or some, with a bias of the head (GPT-J)") {
  for (const std::int64_t dims : {4, 10}) {
    check_values(with([&](auto& model) {
      model.rope.interleaved = true;
      model.rope.dims = dims;
      model.mlp_input = models::MlpInput::attention_norm;
      model.head_bias = true;
    }));
  }
}

TEST_CASE("llm: norms of each head of queries and keys, with some elements turning, or none (Qwen3)") {
  for (const std::int64_t dims : {4, 10}) {
    check_values(with([&](auto& model) {
      model.qk_norm = true;
      model.rope.dims = dims;
      model.layer_kinds = {{.window = 0, .rotary = true}, {.window = 0, .rotary = false}};
    }));
  }
}

TEST_CASE("llm: norms by 1 + weight and scaled embeddings (Gemma)") {
  check_values(with([](auto& model) {
    model.norm_plus_one = true;
    model.embedding_multiplier = 6.78;
    model.hidden_act = models::HiddenAct::gelu_tanh;
    model.gated_mlp = true;
    model.tie_word_embeddings = true;
  }));
}

TEST_CASE("llm: scaled embeddings, scores, residuals and logits, biases of a gated MLP (Granite)") {
  check_values(with([](auto& model) {
    model.embedding_multiplier = 12.0;
    model.residual_multiplier = 0.22;
    model.logit_multiplier = 0.125;
    model.attention_scale = 0.05;
    model.mlp_bias = model.attention_bias = true;
  }));
}

TEST_CASE("llm: layer norms without biases, or without weights (Cohere, OLMo)") {
  for (const bool weight : {true, false}) {
    check_values(with([&](auto& model) {
      model.rms_norm = false;
      model.norm_bias = false;
      model.norm_weight = weight;
      model.logit_multiplier = 0.0625;
    }));
  }
}

TEST_CASE("llm: formats of 16 and 32 bits, by values") {
  for (const DType dtype : {f16, bf16, f32}) {
    CAPTURE(to_string(dtype));
    check_values(odd_model(dtype));
  }
}

}  // namespace kbsim::inference::test::model_families
