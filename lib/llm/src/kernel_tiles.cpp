#include "kernel_tiles.hpp"

#include <algorithm>

#include "kbsim/kernels/llm/decode_attention.hpp"
#include "kbsim/kernels/llm/prefill_attention.hpp"

#include "llm_shapes.hpp"

namespace kbsim::inference {
namespace {

constexpr std::int64_t kSum = 4;          // bytes of an f32
constexpr std::int64_t kScoreTiles = 6;   // of two blocks: products, turned, masked, their exponentials
constexpr std::int64_t kOutTiles = 5;     // results of a block of rows: faded, and their sums
constexpr std::int64_t kBlocksAhead = 2;  // of keys and of values, per item

// Blocks of keys and of values that have been loaded, or are on their way.
std::int64_t loads_of_keys(const models::ModelConfig& model, std::int64_t items, std::int64_t block_keys) {
  return items * (kBlocksAhead + 1) * 2 * block_keys * model.head_dim * itemsize(model.torch_dtype);
}

std::int64_t tiles_of_decode(const models::ModelConfig& model) {
  constexpr std::int64_t kItems = 3;
  constexpr std::int64_t kCombined = 16;  // items whose results travel along their trees
  const std::int64_t group = model.num_attention_heads / model.num_key_value_heads;
  const std::int64_t block = llm::DecodeAttentionArgs{}.block_keys;
  return loads_of_keys(model, kItems, block) + kScoreTiles * group * block * kSum +
         kCombined * group * (model.head_dim + 2) * kSum;
}

// All queries of the PE's rows and what they found so far, and the scores of two blocks.
std::int64_t tiles_of_prefill(const LlmPlan& plan) {
  const models::ModelConfig& model = plan.problem.model;
  const llm::PrefillAttentionArgs standard;
  const std::int64_t part = llm::part_of(plan.problem.prompt, 0, std::int64_t{2} * plan.site.grid.pes).size;
  const std::int64_t heads = llm::part_of(model.num_attention_heads, 0, plan.site.grid.cubes()).size;
  const std::int64_t group = model.num_attention_heads / model.num_key_value_heads;
  const std::int64_t queries = 2 * part * heads * model.head_dim * (itemsize(model.torch_dtype) + kSum);
  const std::int64_t rows = std::min(part, standard.block_rows) * std::min(heads, group);
  return queries + kScoreTiles * rows * standard.block_keys * kSum +
         kOutTiles * rows * model.head_dim * kSum + loads_of_keys(model, 2, standard.block_keys);
}

}  // namespace

Bytes tiles_of_attention(const LlmPlan& plan) {
  std::int64_t most = 0;
  for (const Phase phase : plan.problem.phases) {
    if (phase != Phase::decode) most = std::max(most, tiles_of_prefill(plan));
    if (phase != Phase::prefill) most = std::max(most, tiles_of_decode(plan.problem.model));
  }
  return Bytes{most};
}

// The rows and their transposed, blocks of the vocabulary that come, and their logits.
Bytes tiles_of_head(const LlmPlan& plan) {
  constexpr std::int64_t kWords = 32;
  constexpr std::int64_t kBlocks = 3;
  constexpr std::int64_t kLogitTiles = 4;
  const models::ModelConfig& model = plan.problem.model;
  std::int64_t rows = 0;
  for (const Phase phase : plan.problem.phases)
    rows = std::max(rows, plan.problem.part(0).step(phase).logit_rows());
  const std::int64_t row = model.hidden_size * itemsize(model.torch_dtype);
  return Bytes{(2 * rows + kBlocks * kWords) * row + kLogitTiles * kWords * rows * kSum};
}

}  // namespace kbsim::inference
