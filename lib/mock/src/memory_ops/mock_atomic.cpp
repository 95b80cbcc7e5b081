// Atomics, carried out as plain commands: no other kernel can run between them.
#include "kbsim/mock/pe.hpp"
#include "kbsim/tl/atomic.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"

#include "../mock_signals.hpp"

namespace kbsim::mock {
namespace {

TilePtr updated(Pe& pe, const AtomicCommand& command, const TilePtr& held) {
  if (command.op == AtomicOp::exchange) return command.operand;
  const bool compares = command.op == AtomicOp::compare_exchange;
  const oplog::BinaryOp binary = compares ? oplog::BinaryOp::eq : binary_of(command.op);
  TilePtr result = pe.execute({.kind = oplog::OpKind::binary,
                               .params = {.binary = binary},
                               .inputs = {held, compares ? command.expected : command.operand, nullptr},
                               .shape = held->shape(),
                               .dtype = compares ? DType::boolean : held->dtype(),
                               .at = command.at});
  if (!compares) return result;
  return pe.execute({.kind = oplog::OpKind::ternary,
                     .params = {.ternary = oplog::TernaryOp::where},
                     .inputs = {result, command.operand, held},
                     .shape = held->shape(),
                     .dtype = held->dtype(),
                     .at = command.at});
}

PendingPtr atomic(Pe& pe, const AtomicCommand& command) {
  const std::string_view what = to_string(command.op);
  const Block block = whole(command.to, command.operand->shape(), command.to.dtype);
  (void)pe.memory(command.to.va, block.in_memory(), what, command.at);  // so that a fault names the atomic
  const PendingPtr loaded = pe.issue(LoadCommand{.from = block, .at = command.at});
  TilePtr held = loaded->observe();
  (void)pe.issue(StoreCommand{.to = block, .tile = updated(pe, command, held), .at = command.at});
  pe.signals().look_again();
  return pe.done(what, std::move(held), command.at);
}
KBSIM_MEMORY_OP(AtomicCommand, atomic);

}  // namespace
}  // namespace kbsim::mock
