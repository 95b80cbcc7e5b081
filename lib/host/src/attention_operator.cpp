#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/registry.hpp"

#include "operator_launch.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using topology::Block;

void require_matrix(const OperatorCall& call, const Tensor& tensor, std::int64_t heads) {
  const Shape& shape = tensor.shape();
  call.require(shape.rank() == 2 && shape[1] % heads == 0,
               fmt::format("'{}' is {}, expected [tokens, {} heads * d]", tensor.name(),
                           kbsim::to_string(shape), heads));
  call.require(
      tensor.dtype() == call.input(0).dtype() && info(tensor.dtype()).floating && tensor.dtype() != f64,
      fmt::format("'{}' is {}, expected one of f16, bf16 or f32 for all", tensor.name(),
                  kbsim::to_string(tensor.dtype())));
}

// The division of q, k and v among heads.
CachedAttentionArgs heads_of(const OperatorCall& call, const AttentionOptions& attention) {
  const std::int64_t kv_heads = attention.kv_heads == 0 ? attention.heads : attention.kv_heads;
  call.require(
      attention.heads > 0 && kv_heads > 0 && attention.heads % kv_heads == 0,
      fmt::format("{} of queries can't share {} of keys evenly", counted(attention.heads, "head"), kv_heads));
  require_matrix(call, call.input(0), attention.heads);
  require_matrix(call, call.input(1), kv_heads);
  require_matrix(call, call.input(2), kv_heads);
  const Shape& q = call.input(0).shape();
  const Shape& k = call.input(1).shape();
  const std::int64_t d = q[1] / attention.heads;
  call.require(call.input(2).shape() == k && k[1] / kv_heads == d,
               fmt::format("heads of '{}' {}, '{}' {} and '{}' {} differ", call.input(0).name(),
                           kbsim::to_string(q), call.input(1).name(), kbsim::to_string(k),
                           call.input(2).name(), kbsim::to_string(call.input(2).shape())));
  return {.s_kv = k[0],
          .h_q = attention.heads,
          .h_kv = kv_heads,
          .d = d,
          .scale = attention.scale.value_or(1.0 / std::sqrt(static_cast<double>(d))),
          .causal = attention.is_causal};
}

// The most queries that fit in half of the TCM: outputs and scores in f32, several of each.
void set_blocks(CachedAttentionArgs& args, Bytes tcm) {
  args.block_keys = std::min<std::int64_t>(64, args.s_kv);
  const std::int64_t of_a_query = args.h_q * (6 * args.d + 6 * args.block_keys + 16) * 4;
  args.block_queries = std::clamp<std::int64_t>(tcm.count() / 2 / of_a_query, 1, 32);
}

std::optional<Ptr> rows_at(const LocalParts& parts, PeCoord pe, const Block& block) {
  const std::optional<MatrixPart> part = parts.at(pe, block);
  if (!part || (block.rows > 1 && part->row_stride != block.cols)) return {};
  return part->at;
}

}  // namespace

PendingTensor scaled_dot_product_attention(const TensorOperand& q, const TensorOperand& k,
                                           const TensorOperand& v, const AttentionOptions& attention,
                                           OperatorOptions options) {
  OperatorCall call{
      .name = "scaled_dot_product_attention", .at = q.at, .inputs = {q, k, v}, .options = std::move(options)};
  CachedAttentionArgs all = heads_of(call, attention);
  const config::MemorySpec& memory = call.input(0).state()->session.spec().cube.memory;
  set_blocks(all, memory.tcm - memory.tcm_scheduler);
  const Block queries = matrix_of(call.input(0).shape());
  const Block keys = matrix_of(call.input(1).shape());
  const LocalParts of_q = call.parts_of(call.input(0));
  const LocalParts of_k = call.parts_of(call.input(1));
  const LocalParts of_v = call.parts_of(call.input(2));
  const auto args_for = [&](PeCoord pe, const Block& block) -> std::optional<CachedAttentionArgs> {
    const auto q_at = rows_at(of_q, pe, block);
    const auto k_at = rows_at(of_k, pe, keys);
    const auto v_at = rows_at(of_v, pe, keys);
    if (!q_at || !k_at || !v_at || block.cols != queries.cols) return {};
    CachedAttentionArgs args = all;
    args.q = *q_at;
    args.k = *k_at;
    args.v = *v_at;
    args.s_q = block.rows;
    args.first_query = keys.rows - queries.rows + block.row0;
    return args;
  };
  const OperatorResult result{
      .shape = call.input(0).shape(),
      .dtype = call.input(0).dtype(),
      .placements = {placement_of(call.input(0))},
      .computable = [&](PeCoord pe, const Block& block) { return args_for(pe, block).has_value(); },
      .kernel =
          [&](const LocalPart& part) {
            CachedAttentionArgs args = *args_for(part.pe, part.block);
            args.out = part.memory.at;
            return kernels().at("cached_attention").bind(args);
          },
      .remedy =
          "a PE needs whole rows of the first, and all of the others; place the first row_wise or "
          "replicate and replicate the others over the same PEs",
      .strided = false};
  return launch(std::move(call), result);
}

}  // namespace kbsim::host
