#include "compute.hpp"

#include <boost/container/small_vector.hpp>

#include "kbsim/oplog/op_table.hpp"
#include "kbsim/replay/execute.hpp"

namespace kbsim::replay {
namespace {

using oplog::Op;
using oplog::OpKind;

Value moved(const Op& op, const Lookup& lookup, Ledger& ledger) {
  Value shared = whole(op.inputs[0], lookup);
  return shared ? shared : ledger.adopt(gather(op.inputs[0], lookup));
}

Buffer executed(const Op& op, const Lookup& lookup) {
  boost::container::small_vector<Aligned, 3> views;
  boost::container::small_vector<std::span<const std::byte>, 3> inputs;
  for (const oplog::Operand& input : op.inputs) {
    views.push_back(view(input, lookup));
    inputs.push_back(views.back().bytes());
  }
  return execute(op, {inputs.data(), inputs.size()});
}

}  // namespace

Value compute(const Op& op, const Lookup& lookup, Ledger& ledger) {
  if (op.kind == OpKind::literal) return op.data.kept();
  if (row_of(op.kind).moves) return moved(op, lookup, ledger);
  return ledger.adopt(executed(op, lookup));
}

}  // namespace kbsim::replay
