#include "kbsim/hw/pe/engine_commands.hpp"

#include <algorithm>
#include <span>

#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"

#include "own_tile.hpp"

namespace kbsim::hw {

oplog::Op EngineCommands::described(const EngineCommand& command) const {
  oplog::Op op{.id = units_.reserve(),
               .kind = command.kind,
               .params = command.params,
               .dtype = command.dtype,
               .shape = command.shape};
  for (const TilePtr& input : command.inputs) {
    if (input) op.inputs.push_back(own_tile(input).operand());
  }
  if (!oplog::only_reports(command.kind)) return op;
  const auto label = std::as_bytes(std::span{command.label});
  op.data = std::make_shared<const std::vector<std::byte>>(label.begin(), label.end());
  return op;
}

void EngineCommands::start(const EngineCommand& command, oplog::Op&& op, PeTile* result) {
  Causes* const causes = units_.sim->causes();
  Time operands{};
  Cause why;
  for (const TilePtr& input : command.inputs) {
    if (!input) continue;
    if (causes != nullptr) why = causes->latest(why, own_tile(input).why());
    operands = std::max(operands, own_tile(input).ready());
  }
  if (result != nullptr) result->take();
  const Time end = run(command, operands, why, std::move(op));
  if (causes != nullptr) [[unlikely]]
    why = causes->of(end);
  for (const TilePtr& input : command.inputs) {
    if (input) own_tile(input).used_until(end, why);
  }
  if (causes != nullptr) [[unlikely]]
    causes->because(why);
  if (units_.spec->pe.issue == config::Issue::blocking) turns_.observe(end);
  if (causes != nullptr) [[unlikely]]
    causes->because(why);
  if (result != nullptr) result->arrived(end);
}

// Numbers, prints and checks take no time; pe_math notes them.
Time EngineCommands::run(const EngineCommand& command, Time operands, const Cause& why, oplog::Op&& op) {
  const bool number = command.kind == oplog::OpKind::fill && command.shape.rank() == 0;
  if (number || oplog::only_reports(command.kind)) return note(operands, why, std::move(op));
  const Time turn = turns_.issue(command.at);
  const Time earliest = std::max(turn, operands);
  turns_.because_of(why);
  const bool product = command.kind == oplog::OpKind::dot;
  const Time cost = product ? units_.gemm->cost(op, units_.scheduler->tiling().tile) : units_.math->cost(op);
  IEngine* const engine = product ? static_cast<IEngine*>(units_.gemm) : units_.math;
  const std::uint64_t value = op.id.seq;
  if (!units_.log->keeps_operations()) op.inputs.clear();  // its times are recorded
  const Time end = engine->issue(earliest, cost, std::move(op));
  if (ISpans* const spans = units_.fabric->spans()) {
    spans->add({.kind = SpanKind::work,
                .unit = engine->unit(),
                .what = oplog::name_of(command.kind, command.params),
                .at = command.at,
                .ready = earliest,
                .start = end - cost,
                .end = end,
                .bytes = command.shape.bytes(command.dtype),
                .id = value});
  }
  return end;
}

Time EngineCommands::note(Time operands, const Cause& why, oplog::Op&& op) {
  turns_.because_of(why);
  const Time noted = units_.math->note(std::max(operands, turns_.clock()), std::move(op));
  turns_.because_of(why);
  return noted;
}

Time EngineCommands::idle(Time last) const {
  Causes* const causes = units_.sim->causes();
  Cause why = causes != nullptr ? turns_.why() : Cause{};
  for (const IEngine* engine :
       {static_cast<const IEngine*>(units_.math), static_cast<const IEngine*>(units_.gemm)}) {
    const Time free = engine->free();
    if (causes != nullptr) [[unlikely]]
      why = causes->latest(why, free > last ? causes->of(free) : causes->known(free));
    last = std::max(last, free);
  }
  if (causes != nullptr) [[unlikely]]
    causes->because(std::move(why));
  return last;
}

}  // namespace kbsim::hw
