// Composites, carried out as plain commands because there is no time; and items.
#include "kbsim/mock/pe.hpp"
#include "kbsim/replay/numbers.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::mock {

TilePtr Pe::streamed(const CompositeCommand::Input& input, const std::source_location& at) {
  if (input.tile) return input.tile;
  const PendingPtr state = issue(LoadCommand{.from = whole(input.at, input.shape, input.dtype), .at = at});
  return state->observe();
}

TilePtr Pe::number(double value, DType dtype, const std::source_location& at) {
  return execute(
      {.kind = oplog::OpKind::fill, .params = {.scalar = value}, .shape = {}, .dtype = dtype, .at = at});
}

PendingPtr Pe::composite(const CompositeCommand& command) {
  const std::source_location& at = command.at;
  const bool gemm = command.op == Op::gemm;
  const bool rounded = command.epilogue.empty() && gemm && info(command.dtype).floating;
  EngineCommand next{.kind = gemm ? oplog::OpKind::dot : oplog::OpKind::binary,
                     .inputs = {streamed(command.a, at), streamed(command.b, at), nullptr},
                     .shape = command.shape,
                     .dtype = rounded ? command.dtype : command.accumulator,
                     .at = at};
  if (!gemm) next.params.binary = binary_of(command.op);
  if (command.out) {
    const Bytes size = command.shape.bytes(command.dtype);
    (void)memory(command.out->va, size, "composite, store", at);  // before anything is computed
  }
  TilePtr result = execute(next);
  for (const CompositeCommand::EpilogueStep& step : command.epilogue) {
    TilePtr operand = step.operand;
    if (!operand && step.kind == oplog::OpKind::binary)
      operand = number(step.params.scalar, command.accumulator, at);
    next.kind = step.kind;
    next.params = step.params;
    next.inputs = {result, operand, nullptr};
    result = execute(next);
  }
  if (result->dtype() != command.dtype) {
    next.kind = oplog::OpKind::cast;
    next.params = {};
    next.inputs = {result, nullptr, nullptr};
    next.dtype = command.dtype;
    result = execute(next);
  }
  if (!command.out) return done("composite", std::move(result), at);
  (void)issue(
      StoreCommand{.to = whole(*command.out, command.shape, command.dtype), .tile = result, .at = at});
  return done("composite", nullptr, at);
}

namespace {

Task<> answer(PendingPtr item, double number) {
  item->complete(number, {});
  co_return;
}

}  // namespace

// The wait lets other kernels run: this one may poll for a value that another kernel writes.
PendingPtr Pe::item(const TilePtr& tile, std::int64_t element, std::source_location at) {
  PendingPtr state = pending(CommandWait{"item"}, at);
  const auto& numbers = *static_cast<const MockTile&>(*tile).value();
  (void)around_.sim.serve("item", answer(state, replay::element(numbers, tile->dtype(), element)));
  return state;
}

}  // namespace kbsim::mock
