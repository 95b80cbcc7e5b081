#include "kbsim/replay/execute.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "arrays.hpp"
#include "cast.hpp"
#include "convert.hpp"
#include "operations.hpp"

namespace kbsim::replay {
namespace {

using oplog::Op;
using oplog::OpKind;

void given(const Op& op, Inputs, Output out) { op.data.read(0, out); }

void moved(const Op&, Inputs inputs, Output out) { std::ranges::copy(inputs[0], out.begin()); }

void filled(const Op& op, Inputs, Output out) {
  dispatch(op.dtype, [&]<class T>(TypeTag<T>) { array<T>(out).setConstant(convert<T>(op.params.scalar)); });
}

void counted(const Op& op, Inputs, Output out) {
  std::vector<double> numbers(static_cast<std::size_t>(op.shape.elements()));
  std::iota(numbers.begin(), numbers.end(), op.params.scalar);
  std::ranges::copy(from_doubles(numbers, op.dtype), out.begin());
}

void casted(const Op& op, Inputs inputs, Output out) {
  const bool truncates = op.params.round == oplog::Round::rtz;
  (truncates ? truncate : cast)(inputs[0], op.inputs[0].dtype, out, op.dtype);
}

struct Row {
  OpKind op;
  void (*function)(const Op& op, Inputs inputs, Output out);
};
constexpr std::array<Row, oplog::kOpKinds> kFunctions{{
    {OpKind::literal, given},   {OpKind::fill, filled},
    {OpKind::arange, counted},  {OpKind::copy, moved},
    {OpKind::cast, casted},     {OpKind::print, moved},
    {OpKind::unary, unary},     {OpKind::binary, binary},
    {OpKind::ternary, ternary}, {OpKind::reduce, reduce},
    {OpKind::cumsum, scan},     {OpKind::topk, topk},
    {OpKind::permute, permute}, {OpKind::broadcast, broadcast},
    {OpKind::concat, concat},   {OpKind::dot, dot},
    {OpKind::softmax, softmax}, {OpKind::check, moved},
    {OpKind::slice, slice},     {OpKind::cumsum_reverse, scan},
    {OpKind::cumprod, scan},    {OpKind::cumprod_reverse, scan},
}};
static_assert(oplog::in_order(kFunctions));

}  // namespace

Buffer execute(const Op& op, Inputs inputs) {
  Buffer out(static_cast<std::size_t>(op.shape.bytes(op.dtype).count()));
  kFunctions.at(static_cast<std::size_t>(op.kind)).function(op, inputs, out);
  return out;
}

}  // namespace kbsim::replay
