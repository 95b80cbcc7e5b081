#include "kbsim/hw/pe/kernel_context.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/tensor_layout.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/pending_state.hpp"

#include "own_tile.hpp"

namespace kbsim::hw {
namespace {

IssueQueue::Settings issue_settings(const PeUnits& units, const std::string& kernel) {
  const config::MemorySpec& memory = units.spec->cube.memory;
  return {.at = units.at,
          .cpu = units.cpu,
          .kernel = kernel,
          .dispatch = units.dispatch,
          .max_commands = units.max_commands,
          .tcm = memory.tcm - memory.tcm_scheduler - units.ipcq->rings_in_tcm() - units.mmu->tensors_in_tcm(),
          .may_stall = units.spec->pe.tcm.on_full != config::OnFull::error};
}

ProgramPlace all_of_package(const PeUnits& units) {
  return {.id = {units.at.pe, units.at.cube, 0},
          .count = {units.spec->pes_per_cube(), units.spec->cubes_per_sip(), 1}};
}

}  // namespace

KernelContext::KernelContext(const PeUnits& units, std::string kernel, LaunchId launch,
                             std::optional<ProgramPlace> programs, oplog::AgentPtr agent)
    : units_{units},
      kernel_{std::move(kernel)},
      launch_{launch},
      programs_{programs.value_or(all_of_package(units))},
      commands_{*units.sim, units.ipcq->poll_clock(), issue_settings(units, kernel_)},
      agent_{std::move(agent)} {}

MachineShape KernelContext::machine() const {
  return {.pes_per_cube = units_.spec->pes_per_cube(),
          .cubes_per_package = units_.spec->cubes_per_sip(),
          .packages = units_.spec->system.sips.count};
}

std::shared_ptr<const TensorLayout> KernelContext::layout(std::uint64_t va) const {
  return units_.mmu->layout(va);
}

oplog::Op KernelContext::described(const EngineCommand& command) {
  oplog::Op op{.id = reserve(),
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

// Products go to pe_gemm, all other work to pe_math. Numbers, prints and checks take no time; pe_math notes
// them.
Time KernelContext::run(const EngineCommand& command, Time operands, const Cause& why, oplog::Op&& op) {
  const bool number = command.kind == oplog::OpKind::fill && command.shape.rank() == 0;
  if (number || oplog::only_reports(command.kind)) {
    because_of(why);
    const Time noted = units_.math->note(std::max(operands, clock()), std::move(op));
    because_of(why);
    return noted;
  }
  const Time turn = take_turn(command.at);
  const Time earliest = std::max(turn, operands);
  because_of(why);
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

Time KernelContext::take_turn(const std::source_location& at) {
  const Time issued = commands_.issue(at);
  if (ISpans* const spans = units_.fabric->spans()) {
    spans->add({.kind = SpanKind::issue,
                .unit = units_.cpu,
                .what = kernel_,
                .at = at,
                .start = issued - units_.dispatch,
                .end = issued});
  }
  return issued;
}

// The wait begins where the issue clock stood.
void KernelContext::awaited(const PendingState& pending, Time done) {
  const Time since = commands_.last();
  if (units_.sim->causes() != nullptr && done > units_.sim->now()) [[unlikely]]
    explain_tile(pending, done);
  commands_.observe(done);
  ISpans* const spans = units_.fabric->spans();
  if (spans == nullptr || commands_.last() <= since) return;
  spans->add({.kind = SpanKind::wait,
              .unit = units_.cpu,
              .what = "wait: " + pending.what().text(),
              .at = pending.at(),
              .start = since,
              .end = commands_.last()});
}

// The look that found the tile is not over yet.
void KernelContext::explain_tile(const PendingState& pending, Time done) const {
  const TilePtr& tile = pending.result();
  if (!tile) return;
  const Cause& why = own_tile(tile).why();
  if (why && why.at() == done) units_.sim->causes()->because(why);
}

void KernelContext::range(std::string_view name, Time begin, Time end) {
  units_.log->add_range(units_.lane, {.name = std::string{name}, .begin = begin, .end = end});
  if (ISpans* const spans = units_.fabric->spans())
    spans->add({.kind = SpanKind::range, .unit = units_.cpu, .what = name, .start = begin, .end = end});
}

// The cause is the later of `why` and the issue clock; the clock if they are equal.
void KernelContext::because_of(const Cause& why) const {
  if (Causes* const causes = units_.sim->causes()) [[unlikely]]
    causes->because(causes->latest(clock_why(), why));
}

TilePtr KernelContext::execute(const EngineCommand& command) {
  const bool reports = oplog::only_reports(command.kind);
  const Bytes bytes = reports ? 0_B : command.shape.bytes(command.dtype);
  const bool now = may_issue(bytes, {&command.shape, command.dtype}, command.at);
  oplog::Op op = described(command);
  const std::shared_ptr<PeTile> result =
      reports ? nullptr : coming(op.id, command.shape, command.dtype, command.at);
  if (now) {
    start(command, std::move(op), result.get());
  } else {
    EngineCommand later = command;
    later.label = {};
    auto begin = [this, later = std::move(later), op = std::move(op), result]() mutable {
      start(later, std::move(op), result.get());
    };
    in_order(false, bytes, command.at, std::move(begin));
  }
  return reports ? command.inputs[0] : result;
}

void KernelContext::start(const EngineCommand& command, oplog::Op&& op, PeTile* result) {
  Time operands{};
  Cause why;
  for (const TilePtr& input : command.inputs) {
    if (!input) continue;
    if (units_.sim->causes() != nullptr) why = causes_of(*this).latest(why, own_tile(input).why());
    operands = std::max(operands, own_tile(input).ready());
  }
  if (result != nullptr) result->take();
  const Time end = run(command, operands, why, std::move(op));
  Causes* const causes = units_.sim->causes();
  if (causes != nullptr) [[unlikely]]
    why = causes->of(end);
  for (const TilePtr& input : command.inputs) {
    if (input) own_tile(input).used_until(end, why);
  }
  if (causes != nullptr) [[unlikely]]
    causes->because(why);
  if (units_.spec->pe.issue == config::Issue::blocking) observe(end);
  if (causes != nullptr) [[unlikely]]
    causes->because(why);
  if (result != nullptr) result->arrived(end);
}

TilePtr KernelContext::view(const TilePtr& tile, Shape shape, DType dtype) {
  return make_pooled<PeTile>(std::static_pointer_cast<PeTile>(tile), shape, dtype);
}

std::shared_ptr<PeTile> KernelContext::coming(oplog::ValueId value, Shape shape, DType dtype,
                                              const std::source_location& at) {
  oplog::Slices contents;
  if (units_.log->keeps_operations()) contents.push_back({value, 0, shape.bytes(dtype).count()});
  return make_pooled<PeTile>(shared_from_this(), shape, dtype, std::move(contents), Time{}, at);
}

PendingPtr KernelContext::pending(const Identity& what, std::source_location at) {
  return make_pooled<PendingState>(*units_.sim, *this, what, at);
}

PendingPtr KernelContext::under_way(const Identity& what, std::source_location at) {
  const auto state = make_pooled<UnderWay>(*units_.sim, *this, what, at);
  under_way_.push_back(*state);
  return state;
}

// Several rows in one run: their tensor must have them in this order.
void KernelContext::require_in_one_block(const Block& block, std::string_view call,
                                         const std::source_location& at) const {
  const Shape& shape = block.shape;
  if (shape.rank() < 2 || shape.elements() == shape[shape.rank() - 1]) return;
  const BlockRun& run = block.runs.front();
  const auto layout = this->layout(run.va);
  if (layout == nullptr) return;
  const LayoutBlock* const first = layout->block_at(run.va);
  if (first != nullptr &&
      first == layout->block_at(run.va + static_cast<std::uint64_t>(run.bytes.count()) - 1))
    return;
  throw fault(at,
              fmt::format("{} of {} at {:#x}: {} isn't row-major in virtual addresses; make a descriptor of "
                          "the tensor itself (x.desc() as an argument of make_desc), or split it by rows",
                          call, to_string(shape), run.va, layout->name()));
}

Pieces KernelContext::translate(const Block& block, std::string_view call,
                                const std::source_location& at) const {
  Pieces pieces;
  if (block.runs.size() == 1) require_in_one_block(block, call, at);
  for (const BlockRun& run : block.runs) {
    try {
      std::int64_t offset = run.offset;
      for (const topology::PhysRange& range : units_.mmu->translate(run.va, run.bytes)) {
        pieces.push_back({.memory = range, .offset = offset});
        offset += range.bytes.count();
      }
    } catch (const KernelFault& unmapped) {
      throw fault(at,
                  fmt::format("{} of {} at {:#x}: {}", call, to_string(run.bytes), run.va, unmapped.what()));
    }
  }
  return pieces;
}

void KernelContext::require_numbers(std::string_view call, const std::source_location& at) const {
  if (*units_.evaluator) return;
  throw fault(at, fmt::format("{} needs numbers, and this run computes none; leave out --timing-only", call));
}

PendingPtr KernelContext::issue(const MemoryCommand& command) {
  struct Issuing {
    oplog::IssuePtr& of;
    ~Issuing() { of = nullptr; }
  };
  const Issuing issuing{issue_ = units_.races->issue(agent_)};
  PendingPtr done = memory_ops().issue(*this, command);
  if (issue_) done->issued_as(issue_);
  return done;
}

MemoryOps<KernelContext>& memory_ops() {
  static MemoryOps<KernelContext> ops{"memory operation"};
  return ops;
}

Transfer::Origin KernelContext::origin(std::string_view call, PendingPtr done) {
  return {.kernel = shared_from_this(),
          .value = reserve(),
          .pending = std::move(done),
          .order = {++order_},
          .call = call,
          .issue = issue_};
}

KernelFault KernelContext::fault(const std::source_location& at, std::string_view text) const {
  return fault_at(at, text);
}

}  // namespace kbsim::hw
