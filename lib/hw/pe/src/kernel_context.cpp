#include "kbsim/hw/pe/kernel_context.hpp"

#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/pending_state.hpp"

#include "own_tile.hpp"

namespace kbsim::hw {
namespace {

IssueQueue::Settings issue_settings(const PeUnits& units, const std::string& kernel) {
  const config::MemorySpec& memory = units.spec->cube.memory;
  return {.at = units.at,
          .cpu = units.cpu,
          .memory = units.tcm,
          .kernel = kernel,
          .dispatch = units.dispatch,
          .max_commands = units.max_commands,
          .tcm = memory.tcm - memory.tcm_scheduler - units.ipcq->rings_in_tcm() - units.mmu->tensors_in_tcm(),
          .may_stall = units.spec->pe.tcm.on_full != config::OnFull::error,
          .fabric = units.fabric};
}

ProgramPlace all_of_package(const PeUnits& units) {
  return {.id = {units.at.pe, units.at.cube, 0},
          .count = {units.spec->pes_per_cube(), units.spec->cubes_per_sip(), 1}};
}

// The look that found the tile is not over yet.
void explain_tile(Causes& causes, const TilePtr& tile, Time done) {
  if (!tile) return;
  const Cause& why = own_tile(tile).why();
  if (why && why.at() == done) causes.because(why);
}

}  // namespace

KernelContext::KernelContext(const PeUnits& units, const std::string& kernel, LaunchId launch,
                             std::optional<ProgramPlace> programs, oplog::AgentPtr agent)
    : units_{units},
      kernel_{kernel},
      launch_{launch},
      programs_{programs.value_or(all_of_package(units))},
      agent_{std::move(agent)},
      turns_{*units.sim, units.ipcq->poll_clock(), issue_settings(units, kernel)} {}

MachineShape KernelContext::machine() const {
  return {.pes_per_cube = units_.spec->pes_per_cube(),
          .cubes_per_package = units_.spec->cubes_per_sip(),
          .packages = units_.spec->system.sips.count};
}

// The wait begins where the issue clock stood.
void KernelContext::awaited(const PendingState& pending, Time done) {
  const Time since = turns_.last();
  if (units_.sim->causes() != nullptr && done > units_.sim->now()) [[unlikely]]
    explain_tile(*units_.sim->causes(), pending.result(), done);
  turns_.observe(done);
  ISpans* const spans = units_.fabric->spans();
  if (spans == nullptr || turns_.last() <= since) return;
  spans->add({.kind = SpanKind::wait,
              .unit = units_.cpu,
              .what = "wait: " + pending.what().text(),
              .at = pending.at(),
              .start = since,
              .end = turns_.last()});
}

void KernelContext::range(std::string_view name, Time begin, Time end) {
  units_.log->add_range(units_.lane, {.name = std::string{name}, .begin = begin, .end = end});
  if (ISpans* const spans = units_.fabric->spans())
    spans->add({.kind = SpanKind::range, .unit = units_.cpu, .what = name, .start = begin, .end = end});
}

TilePtr KernelContext::execute(const EngineCommand& command) {
  const bool reports = oplog::only_reports(command.kind);
  const Bytes bytes = reports ? 0_B : command.shape.bytes(command.dtype);
  const bool now = turns_.may_issue(bytes, {&command.shape, command.dtype}, command.at);
  oplog::Op op = engines_.described(command);
  const std::shared_ptr<PeTile> result =
      reports ? nullptr : coming(op.id, command.shape, command.dtype, command.at);
  if (now) {
    engines_.start(command, std::move(op), result.get());
  } else {
    EngineCommand later = command;
    later.label = {};
    auto begin = [this, later = std::move(later), op = std::move(op), result]() mutable {
      engines_.start(later, std::move(op), result.get());
    };
    in_order(false, bytes, command.at, std::move(begin));
  }
  return reports ? command.inputs[0] : result;
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
          .value = units_.reserve(),
          .pending = std::move(done),
          .order = {++order_},
          .call = call,
          .issue = issue_};
}

}  // namespace kbsim::hw
