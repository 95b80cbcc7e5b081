#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kbsim/models/model_config.hpp"
#include "kbsim/models/model_step.hpp"

namespace kbsim::models {

/// Bytes of an element.
struct Storage {
  std::int64_t weight = 2;
  std::int64_t cache = 2;
  std::int64_t activation = 2;
};

enum class OperationKind : std::uint8_t {
  embedding,
  input_norm,
  qkv,
  qk_norm,
  rotary,
  attention,
  output,
  residual,
  post_norm,
  gate_up,
  down,
  final_norm,
  head,
  choice
};
inline constexpr std::array<std::string_view, 14> kOperationKinds{
    "embedding", "input norm", "qkv",     "q, k norm", "rotary",     "attention", "output",
    "residual",  "post norm",  "gate/up", "down",      "final norm", "head",      "choice"};
[[nodiscard]] constexpr std::string_view to_string(OperationKind kind) {
  return kOperationKinds.at(static_cast<std::size_t>(kind));
}

/// Work by the model's own arithmetic, whatever the machine: each weight and each key is read once.
struct Work {
  std::int64_t flop = 0;  // of products
  std::int64_t weight_bytes = 0;
  std::int64_t cache_read = 0;           // bytes
  std::int64_t cache_written = 0;        // bytes
  std::int64_t elements = 0;             // of norms, turns, scores, sums, activations and choices
  std::int64_t activations_read = 0;     // bytes, if each operation has its operands from memory
  std::int64_t activations_written = 0;  // bytes, if each leaves its results there

  Work& operator+=(const Work& more);
  friend bool operator==(const Work&, const Work&) = default;
};

struct Operation {
  OperationKind kind{};
  Work work;
};

/// Operations in their order, but for the ones that a model lacks: norms of q and k, rotary positions, a
/// norm after attention. An activation is part of gate/up.
[[nodiscard]] std::vector<Operation> embedding_operations(const ModelConfig& model, const Step& step,
                                                          const Storage& storage = {});
[[nodiscard]] std::vector<Operation> layer_operations(const ModelConfig& model, const LayerKind& kind,
                                                      const Step& step, const Storage& storage = {});
/// Final norm, head and choice, of the rows whose logits are asked for.
[[nodiscard]] std::vector<Operation> head_operations(const ModelConfig& model, const Step& step,
                                                     const Storage& storage = {});

[[nodiscard]] Work sum_of(const std::vector<Operation>& operations);
/// Work of embedding, all layers and head.
[[nodiscard]] Work step_work(const ModelConfig& model, const Step& step, const Storage& storage = {});

/// Keys and values of a sequence of that number of tokens, in all layers.
[[nodiscard]] std::int64_t cache_bytes(const ModelConfig& model, std::int64_t tokens,
                                       const Storage& storage = {});

}  // namespace kbsim::models
