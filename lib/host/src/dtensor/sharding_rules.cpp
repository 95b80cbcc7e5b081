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

// The placements of both operands and of the result along an axis.
struct AxisOfTwo {
  Placement a;
  Placement b;
  Placement result;
};

// Partial sums that an operation keeps; none if it has to reduce one of them.
std::optional<AxisOfTwo> kept_sums(const Placed& a, const Placed& b, DType dtype, std::size_t axis,
                                   Linearity kind) {
  const Placement& of_a = a.placements[axis];
  const Placement& of_b = b.placements[axis];
  const bool sum_a = is_linear(of_a) && keeps_sums(a, dtype);
  const bool sum_b = is_linear(of_b) && keeps_sums(b, dtype);
  if (kind == Linearity::sum && sum_a && sum_b && of_a == of_b) return AxisOfTwo{of_a, of_b, of_a};
  if (kind == Linearity::sum) return {};
  const Placement all = Replicate{};
  if (sum_a && of_b == all) return AxisOfTwo{of_a, all, of_a};
  if (kind == Linearity::product && sum_b && of_a == all) return AxisOfTwo{all, of_b, of_b};
  return {};
}

Placement shard_of(const Placed& a, const Placed& b, int rank, std::size_t axis) {
  const Placement& of_a = a.placements[axis];
  const Placement& of_b = b.placements[axis];
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

ShardingRule pointwise_rule(const Placed& a, const Placed& b, DType dtype, Linearity kind) {
  ShardingRule rule{.operands = {{}, {}}, .result = {}};
  const Shape shape = broadcast(a.shape, b.shape).value();
  for (std::size_t axis = 0; axis < a.placements.size(); ++axis) {
    std::optional<AxisOfTwo> of = kept_sums(a, b, dtype, axis, kind);
    if (!of) {
      const Placement result = shard_of(a, b, shape.rank(), axis);
      of = AxisOfTwo{operand_for(a, shape, result), operand_for(b, shape, result), result};
    }
    rule.operands[0].push_back(of->a);
    rule.operands[1].push_back(of->b);
    rule.result.push_back(of->result);
  }
  return rule;
}

ShardingRule with_number_rule(const Placed& x, DType result, bool linear) {
  ShardingRule rule{.operands = {{}}, .result = {}};
  for (const Placement& placement : x.placements) {
    const bool stays = !std::holds_alternative<Partial>(placement) ||
                       (linear && is_linear(placement) && keeps_sums(x, result));
    rule.result.push_back(stays ? placement : Placement{Replicate{}});
  }
  rule.operands[0] = rule.result;
  return rule;
}

namespace {

bool has_empty_chunk(const std::vector<int>& mesh, const Placed& x) {
  std::vector<int> last;
  for (const int size : mesh) last.push_back(size - 1);
  return local_shape(x.shape, mesh, last, x.placements).elements() == 0;
}

// Along one axis: what the operand has to be, and what the result is.
struct AxisOfOne {
  Placement x;
  Placement result;
};

AxisOfOne reduced(const Placed& x, const Placement& from, const Combination& how, bool extreme_of_none) {
  const bool adds = how.op == Reduction::sum || how.op == Reduction::avg;
  if (const auto* partial = std::get_if<Partial>(&from)) {
    const bool stays = adds ? is_linear(from) && keeps_sums(x, how.result) : partial->op == how.op;
    const Placement after = stays ? from : Placement{Replicate{}};
    return {after, after};
  }
  const auto* shard = std::get_if<Shard>(&from);
  if (shard == nullptr) return {from, from};
  if (how.dim && *how.dim != shard->dim) {
    const bool moves = !how.keepdim && *how.dim < shard->dim;
    return {from, Shard{shard->dim - (moves ? 1 : 0)}};
  }
  if (!adds && extreme_of_none) return {Replicate{}, Replicate{}};
  return {from, Partial{how.op}};
}

// Dimensions that a view splits or joins: [first, last) of each shape have equally many elements.
struct Regrouped {
  int from_first = 0;
  int from_last = 0;
  int to_first = 0;
  int to_last = 0;
};

std::vector<Regrouped> regrouped(const Shape& from, const Shape& to) {
  std::vector<Regrouped> groups;
  Regrouped group;
  while (group.from_last < from.rank() && group.to_last < to.rank()) {
    std::int64_t in = from[group.from_last++];
    std::int64_t out = to[group.to_last++];
    while (in != out) {
      if (in < out) {
        in *= from[group.from_last++];
      } else {
        out *= to[group.to_last++];
      }
    }
    groups.push_back(group);
    group = {.from_first = group.from_last,
             .from_last = group.from_last,
             .to_first = group.to_last,
             .to_last = group.to_last};
  }
  return groups;
}

int first_wide(const Shape& shape, int first, int last) {
  while (first + 1 < last && shape[first] == 1) ++first;
  return first;
}

// The dimension of the new shape whose chunks are those of `dim`, cut `ranks` times; none if there is none.
std::optional<int> dim_of_view(const Shape& from, const Shape& to, int dim, std::int64_t ranks) {
  if (from.elements() == 0) return {};
  for (const Regrouped& group : regrouped(from, to)) {
    if (dim < group.from_first || dim >= group.from_last) continue;
    const int outer = first_wide(to, group.to_first, group.to_last);
    if (dim != first_wide(from, group.from_first, group.from_last)) return {};
    const bool whole = from[dim] == to[outer] || (from[dim] % ranks == 0 && to[outer] % ranks == 0);
    return whole ? std::optional{outer} : std::nullopt;
  }
  return {};
}

}  // namespace

ShardingRule reduction_rule(const std::vector<int>& mesh, const Placed& x, const Combination& how) {
  ShardingRule rule{.operands = {{}}, .result = {}};
  const bool empty = has_empty_chunk(mesh, x);
  for (const Placement& placement : x.placements) {
    const AxisOfOne axis = reduced(x, placement, how, empty);
    rule.operands[0].push_back(axis.x);
    rule.result.push_back(axis.result);
  }
  return rule;
}

ShardingRule view_rule(const std::vector<int>& mesh, const Placed& x, const Shape& shape) {
  ShardingRule rule{.operands = {{}}, .result = {}};
  const auto ranks_on = [&](int dim) {
    std::int64_t ranks = 1;
    for (const auto& [size, placement] : ranges::views::zip(mesh, x.placements)) {
      const auto* shard = std::get_if<Shard>(&placement);
      if (shard != nullptr && shard->dim == dim) ranks *= size;
    }
    return ranks;
  };
  for (const Placement& placement : x.placements) {
    const auto* shard = std::get_if<Shard>(&placement);
    const auto dim =
        shard == nullptr ? std::nullopt : dim_of_view(x.shape, shape, shard->dim, ranks_on(shard->dim));
    const bool lost = shard != nullptr && !dim;
    rule.operands[0].push_back(lost ? Placement{Replicate{}} : placement);
    rule.result.push_back(dim ? Placement{Shard{*dim}} : rule.operands[0].back());
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
