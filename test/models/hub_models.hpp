// Public dense models: the sizes that their cards and papers state, beside the config.json that hubs have.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/models/model_config.hpp"

namespace kbsim::models::test {

struct HubModel {
  std::string_view file;
  std::int64_t parameters = 0;  // as published
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head = 0;
  std::int64_t inner = 0;
  std::int64_t vocab = 0;
  bool gated = true;
  bool tied = false;
  bool qkv_bias = false;
  bool other_biases = false;  // of attention's output and the MLP
  bool layer_norm = false;    // with a bias
  std::int64_t norms = 2;     // of a layer
  bool qk_norm = false;
  bool head_bias = false;
  std::int64_t position_rows = 0;
  std::int64_t window = 0;
};

inline constexpr auto kHubModels = std::to_array<HubModel>({{.file = "Llama-3.1-8B",
                                                             .parameters = 8'030'261'248,
                                                             .layers = 32,
                                                             .hidden = 4096,
                                                             .heads = 32,
                                                             .kv_heads = 8,
                                                             .head = 128,
                                                             .inner = 14336,
                                                             .vocab = 128256},
                                                            {.file = "Llama-3.2-1B",
                                                             .parameters = 1'235'814'400,
                                                             .layers = 16,
                                                             .hidden = 2048,
                                                             .heads = 32,
                                                             .kv_heads = 8,
                                                             .head = 64,
                                                             .inner = 8192,
                                                             .vocab = 128256,
                                                             .tied = true},
                                                            {.file = "Qwen2.5-1.5B",
                                                             .parameters = 1'543'714'304,
                                                             .layers = 28,
                                                             .hidden = 1536,
                                                             .heads = 12,
                                                             .kv_heads = 2,
                                                             .head = 128,
                                                             .inner = 8960,
                                                             .vocab = 151936,
                                                             .tied = true,
                                                             .qkv_bias = true},
                                                            {.file = "Qwen3-8B",
                                                             .parameters = 8'190'735'360,
                                                             .layers = 36,
                                                             .hidden = 4096,
                                                             .heads = 32,
                                                             .kv_heads = 8,
                                                             .head = 128,
                                                             .inner = 12288,
                                                             .vocab = 151936,
                                                             .qk_norm = true},
                                                            {.file = "Mistral-7B-v0.1",
                                                             .parameters = 7'241'732'096,
                                                             .layers = 32,
                                                             .hidden = 4096,
                                                             .heads = 32,
                                                             .kv_heads = 8,
                                                             .head = 128,
                                                             .inner = 14336,
                                                             .vocab = 32000,
                                                             .window = 4096},
                                                            {.file = "gpt2",
                                                             .parameters = 124'439'808,
                                                             .layers = 12,
                                                             .hidden = 768,
                                                             .heads = 12,
                                                             .kv_heads = 12,
                                                             .head = 64,
                                                             .inner = 3072,
                                                             .vocab = 50257,
                                                             .gated = false,
                                                             .tied = true,
                                                             .qkv_bias = true,
                                                             .other_biases = true,
                                                             .layer_norm = true,
                                                             .position_rows = 1024},
                                                            {.file = "starcoder2-3b",
                                                             .parameters = 3'030'371'328,
                                                             .layers = 30,
                                                             .hidden = 3072,
                                                             .heads = 24,
                                                             .kv_heads = 2,
                                                             .head = 128,
                                                             .inner = 12288,
                                                             .vocab = 49152,
                                                             .gated = false,
                                                             .tied = true,
                                                             .qkv_bias = true,
                                                             .other_biases = true,
                                                             .layer_norm = true,
                                                             .window = 4096},
                                                            {.file = "gemma-2b",
                                                             .parameters = 2'506'172'416,
                                                             .layers = 18,
                                                             .hidden = 2048,
                                                             .heads = 8,
                                                             .kv_heads = 1,
                                                             .head = 256,
                                                             .inner = 16384,
                                                             .vocab = 256000,
                                                             .tied = true},
                                                            {.file = "phi-2",
                                                             .parameters = 2'779'683'840,
                                                             .layers = 32,
                                                             .hidden = 2560,
                                                             .heads = 32,
                                                             .kv_heads = 32,
                                                             .head = 80,
                                                             .inner = 10240,
                                                             .vocab = 51200,
                                                             .gated = false,
                                                             .qkv_bias = true,
                                                             .other_biases = true,
                                                             .layer_norm = true,
                                                             .norms = 1,
                                                             .head_bias = true}});

inline ModelConfig config_of(std::string_view file) {
  return read_model_config(std::string{KBSIM_SOURCE_DIR} + "/test/models/configs/" + std::string{file} +
                           ".json");
}

}  // namespace kbsim::models::test
