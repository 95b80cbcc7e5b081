#include "kbsim/llm/rank_share.hpp"

#include <algorithm>

namespace kbsim::inference {
namespace {

using llm::Part;
using llm::part_of;
using models::ModelConfig;

// The rank's kv heads: an equal part, or the one that it shares with its neighbours.
Part kv_heads_of(const ModelConfig& model, int tp, int ranks) {
  const std::int64_t heads = model.num_key_value_heads;
  if (heads >= ranks) return part_of(heads, tp, ranks);
  return {tp * heads / ranks, 1};
}

void take_layers(ModelConfig& model, Part layers) {
  model.num_hidden_layers = layers.size;
  if (model.layer_kinds.empty()) return;
  const auto first = model.layer_kinds.begin() + layers.begin;
  model.layer_kinds = {first, first + layers.size};
}

}  // namespace

std::int64_t RankShare::own_rows(Phase phase) const {
  const std::int64_t rows = problem.rows_at_once(phase);
  return divides_rows() ? rows / division.tp : rows;
}

std::int64_t RankShare::whole_row(Phase phase, const llm::PeGrid& grid, std::int64_t i) const {
  if (!divides_rows()) return i;
  const std::int64_t of_pe = own_rows(phase) / grid.pes;
  return (i / of_pe * division.tp + at.tp) * of_pe + i % of_pe;
}

RankShare share_of(const LlmProblem& whole, RankPlace at) {
  const Division& division = whole.division;
  RankShare share{.division = division, .at = at, .problem = whole, .vocabulary = whole.model.vocab_size};
  const Part heads = part_of(whole.model.num_attention_heads, at.tp, division.tp);
  const Part kv_heads = kv_heads_of(whole.model, at.tp, division.tp);
  const Part inner = part_of(whole.model.intermediate_size, at.tp, division.tp);
  const Part words = part_of(whole.model.vocab_size, at.tp, division.tp);
  const Part layers = part_of(whole.model.num_hidden_layers, at.pp, division.pp);
  const Part sequences = part_of(whole.batch, at.dp, division.dp);
  ModelConfig& model = share.problem.model;
  model.num_attention_heads = heads.size;
  model.num_key_value_heads = kv_heads.size;
  model.intermediate_size = inner.size;
  model.vocab_size = words.size;
  take_layers(model, layers);
  share.problem.batch = sequences.size;
  if (!whole.contexts.empty()) {
    const auto first = whole.contexts.begin() + sequences.begin;
    share.problem.contexts = {first, first + sequences.size};
  }
  share.first_head = heads.begin;
  share.first_kv_head = kv_heads.begin;
  share.first_inner = inner.begin;
  share.first_word = words.begin;
  share.first_layer = layers.begin;
  share.first_sequence = sequences.begin;
  return share;
}

}  // namespace kbsim::inference
