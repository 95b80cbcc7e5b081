#include "sharding_rules.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <range/v3/view/zip.hpp>

#include "../row_broadcast.hpp"

namespace kbsim::host::dtensor {
namespace {

struct MatmulChoice {
  Placement x;
  Placement w;
  Placement result;
};

// Choices in PyTorch's order.
std::vector<MatmulChoice> matmul_choices(int rank) {
  const Placement sum = Partial{};
  std::vector<MatmulChoice> choices{{Replicate{}, Replicate{}, Replicate{}},
                                    {Shard{rank - 1}, Shard{0}, sum}};
  for (int dim = 0; dim + 1 < rank; ++dim) choices.push_back({Shard{dim}, Replicate{}, Shard{dim}});
  choices.push_back({Replicate{}, Shard{1}, Shard{rank - 1}});
  choices.push_back({sum, Replicate{}, sum});
  choices.push_back({Replicate{}, sum, sum});
  return choices;
}

// Elements that a rank sends for a change of one axis; infinite for a change that is never done.
double elements_sent(double elements, double ranks, const Placement& from, const Placement& to) {
  if (from == to || std::holds_alternative<Replicate>(from)) {
    return std::holds_alternative<Partial>(to) && from != to ? std::numeric_limits<double>::infinity() : 0.0;
  }
  if (std::holds_alternative<Partial>(to)) return std::numeric_limits<double>::infinity();
  const bool all = std::holds_alternative<Replicate>(to);
  if (std::holds_alternative<Partial>(from)) return elements * (ranks - 1) / ranks * (all ? 2 : 1);
  return elements / ranks * (ranks - 1) / (all ? 1 : ranks);
}

// The dimension of the result that belongs to a dimension of an operand.
int in_result(const Placed& operand, int rank, int dim) { return dim + rank - operand.shape.rank(); }

// The placement of an operand for a result's placement. An extent that is broadcast isn't sharded.
Placement operand_for(const Placed& operand, const Shape& result, const Placement& placement) {
  const auto* shard = std::get_if<Shard>(&placement);
  if (shard == nullptr) return placement;
  const int dim = shard->dim - (result.rank() - operand.shape.rank());
  if (dim < 0 || operand.shape[dim] != result[shard->dim]) return Replicate{};
  return Shard{dim};
}

bool is_linear(const Placement& placement) {
  const auto* partial = std::get_if<Partial>(&placement);
  return partial != nullptr && (partial->op == Reduction::sum || partial->op == Reduction::avg);
}

// Floating parts are added as they are; integer parts wrap in their own dtype before any change of it.
bool keeps_sums(const Placed& operand, DType result) {
  return operand.dtype == result || info(operand.dtype).floating;
}

Placement sum_of(const Placed& a, const Placed& b, int rank, DType dtype, std::size_t axis) {
  const Placement& of_a = a.placements[axis];
  const Placement& of_b = b.placements[axis];
  if (of_a == of_b && is_linear(of_a) && keeps_sums(a, dtype) && keeps_sums(b, dtype)) return of_a;
  if (const auto* shard = std::get_if<Shard>(&of_a)) return Shard{in_result(a, rank, shard->dim)};
  if (const auto* shard = std::get_if<Shard>(&of_b)) return Shard{in_result(b, rank, shard->dim)};
  return Replicate{};
}

ShardingRule unary(const Placed& x, bool (*stays)(const Placed&, const Placement&)) {
  Placements all;
  for (const Placement& placement : x.placements)
    all.push_back(stays(x, placement) ? placement : Placement{Replicate{}});
  return {.operands = {all}, .result = all};
}

}  // namespace

ShardingRule matmul_rule(const std::vector<int>& mesh, const Placed& x, const Placed& w) {
  ShardingRule rule{.operands = {{}, {}}, .result = {}};
  const auto choices = matmul_choices(x.shape.rank());
  const auto elements_of_x = static_cast<double>(x.shape.elements());
  const auto elements_of_w = static_cast<double>(w.shape.elements());
  for (const auto& [ranks, of_x, of_w] : ranges::views::zip(mesh, x.placements, w.placements)) {
    const auto cost = [&](const MatmulChoice& choice) {
      const double sent = elements_sent(elements_of_x, ranks, of_x, choice.x) +
                          elements_sent(elements_of_w, ranks, of_w, choice.w);
      const int changes = (of_x != choice.x) + (of_w != choice.w);
      return std::pair{sent, ranks == 1 ? changes : 0};
    };
    const MatmulChoice& best = *std::ranges::min_element(choices, {}, cost);
    rule.operands[0].push_back(best.x);
    rule.operands[1].push_back(best.w);
    rule.result.push_back(best.result);
  }
  return rule;
}

ShardingRule pointwise_rule(const Placed& a, const Placed& b, DType dtype) {
  ShardingRule rule{.operands = {{}, {}}, .result = {}};
  const Shape shape = broadcast(a.shape, b.shape).value();
  for (std::size_t axis = 0; axis < a.placements.size(); ++axis) {
    const Placement result = sum_of(a, b, shape.rank(), dtype, axis);
    rule.result.push_back(result);
    rule.operands[0].push_back(operand_for(a, shape, result));
    rule.operands[1].push_back(operand_for(b, shape, result));
  }
  return rule;
}

ShardingRule elementwise_rule(const Placed& x) {
  return unary(x, [](const Placed&, const Placement& one) { return !std::holds_alternative<Partial>(one); });
}

ShardingRule rowwise_rule(const Placed& x) {
  return unary(x, [](const Placed& of, const Placement& one) {
    const auto* shard = std::get_if<Shard>(&one);
    return shard == nullptr ? std::holds_alternative<Replicate>(one) : shard->dim + 1 < of.shape.rank();
  });
}

}  // namespace kbsim::host::dtensor
