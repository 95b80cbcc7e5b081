#include "kbsim/oplog/op_table.hpp"

#include <array>

#include "shape_checks.hpp"

namespace kbsim::oplog {
namespace {

std::string nothing(const Op&) { return {}; }

template <bool (*fits)(const Op&)>
std::string unless(const Op& op) {
  return fits(op) ? "" : misfit(op);
}

constexpr std::size_t kAny = 1 << 20;

using enum CostClass;
constexpr std::array<OpRow, kOpKinds> kRows{{
    {OpKind::literal, "literal", 0, 0, elementwise, literal_contradiction},
    {OpKind::fill, "fill", 0, 0, elementwise, nothing},
    {OpKind::arange, "arange", 0, 0, elementwise, nothing},
    {OpKind::copy, "copy", 1, 1, elementwise, copy_contradiction, true},
    {OpKind::cast, "cast", 1, 1, elementwise, cast_contradiction},
    {OpKind::print, "print", 1, 1, elementwise, copy_contradiction, true},
    {OpKind::unary, "unary", 1, 1, elementwise, unless<unary_fits>},
    {OpKind::binary, "binary", 2, 2, elementwise, unless<binary_fits>},
    {OpKind::ternary, "ternary", 3, 3, elementwise, unless<ternary_fits>},
    {OpKind::reduce, "reduce", 1, 1, CostClass::reduce, unless<reduce_fits>},
    {OpKind::cumsum, "cumsum", 1, 1, CostClass::reduce, unless<scan_fits>},
    {OpKind::topk, "topk", 1, 1, CostClass::reduce, unless<topk_fits>},
    {OpKind::permute, "permute", 1, 1, move, unless<permute_fits>},
    {OpKind::broadcast, "broadcast", 1, 1, move, unless<broadcast_fits>},
    {OpKind::concat, "concat", 1, kAny, move, unless<concat_fits>},
    {OpKind::dot, "dot", 2, 3, product, unless<dot_fits>},
    {OpKind::softmax, "softmax", 1, 1, softmax, unless<softmax_fits>},
    {OpKind::check, "check", 1, 1, elementwise, copy_contradiction, true},
    {OpKind::slice, "slice", 1, 1, move, unless<slice_fits>},
    {OpKind::cumsum_reverse, "cumsum_reverse", 1, 1, CostClass::reduce, unless<scan_fits>},
    {OpKind::cumprod, "cumprod", 1, 1, CostClass::reduce, unless<scan_fits>},
    {OpKind::cumprod_reverse, "cumprod_reverse", 1, 1, CostClass::reduce, unless<scan_fits>},
}};
static_assert(in_order(kRows));

}  // namespace

const OpRow& row_of(OpKind kind) { return kRows.at(static_cast<std::size_t>(kind)); }

std::string_view to_string(OpKind kind) { return row_of(kind).name; }

CostClass cost_class(const Op& op) {
  return op.kind == OpKind::unary ? row_of(op.params.unary).cost : row_of(op.kind).cost;
}

}  // namespace kbsim::oplog
