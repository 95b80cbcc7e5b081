// Atomics, as the few commands that they are when nobody can come between them.
#include "pe.hpp"

namespace kbsim::mock {

TilePtr Pe::updated(const AtomicCommand& command, const TilePtr& held) {
  if (command.op == AtomicOp::exchange) return command.operand;
  const bool compares = command.op == AtomicOp::compare_exchange;
  const oplog::BinaryOp binary = compares ? oplog::BinaryOp::eq : binary_of(command.op);
  TilePtr result = execute({.kind = oplog::OpKind::binary,
                            .params = {.binary = binary},
                            .inputs = {held, compares ? command.expected : command.operand, nullptr},
                            .shape = held->shape(),
                            .dtype = compares ? DType::boolean : held->dtype(),
                            .at = command.at});
  if (!compares) return result;
  return execute({.kind = oplog::OpKind::ternary,
                  .params = {.ternary = oplog::TernaryOp::where},
                  .inputs = {result, command.operand, held},
                  .shape = held->shape(),
                  .dtype = held->dtype(),
                  .at = command.at});
}

PendingPtr Pe::atomic(const AtomicCommand& command) {
  const std::string what{to_string(command.op)};
  const Bytes size = command.operand->shape().bytes(command.to.dtype);
  (void)memory(command.to.va, size, what, command.at);  // told by its own name if it isn't there
  const PendingPtr loaded = load(command.to, command.operand->shape(), command.to.dtype, command.at);
  TilePtr held = loaded->observe();
  (void)store(command.to, updated(command, held), command.at);
  around_.signals.look_again();
  return done(what, std::move(held), command.at);
}

}  // namespace kbsim::mock
