// How a kernel hands a composite to its scheduler.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/race_watch.hpp"

namespace kbsim::hw {
namespace {

// Integers accumulate exactly, floats are rounded once: by the operation itself if nothing comes after it.
bool needs_cast(const CompositeCommand& command) {
  const bool dot =
      command.op == Op::gemm && info(command.accumulator).floating && info(command.dtype).floating;
  return command.dtype != command.accumulator && !(dot && command.epilogue.empty());
}

// The operand that is ready last; none if all are in memory.
const PeTile* last_operand(const CompositeCommand& command) {
  const PeTile* last = nullptr;
  const auto wait = [&](const TilePtr& tile) {
    const auto* operand = static_cast<const PeTile*>(tile.get());
    if (operand != nullptr && (last == nullptr || operand->ready() > last->ready())) last = operand;
  };
  wait(command.a.tile);
  wait(command.b.tile);
  for (const CompositeCommand::EpilogueStep& step : command.epilogue) wait(step.operand);
  return last;
}

bool has_number(const CompositeCommand::EpilogueStep& step) {
  return step.kind == oplog::OpKind::binary && !step.operand;
}

// Tiles in flight: the pipeline's number, limited by the room in the scheduler's part of the TCM.
std::int64_t tiles_in_flight(const PeUnits& units, const CompositeCommand& command) {
  const GemmTile tile_of_plan = units.scheduler->tiling().tile;
  const TilePlan plan{command, tile_of_plan};
  if (!plan.countable()) {
    throw fault_at(
        command.at,
        fmt::format("composite: {} by {} in tiles of {} x {} x {} multiplies more often than 64 bits "
                    "count",
                    to_string(command.a.shape), to_string(command.b.shape), tile_of_plan.m, tile_of_plan.k,
                    tile_of_plan.n));
  }
  const Bytes tile = scheduler_bytes(command, plan);
  const Bytes budget = units.spec->cube.memory.tcm_scheduler;
  const std::int64_t wanted = TilePipeline::in_flight(command.depth, stages_of(command));
  if (tile == 0_B) return std::min(wanted, plan.tiles());
  if (tile > budget) {
    throw fault_at(command.at,
                   fmt::format("composite: a tile takes {}, but the scheduler's part of the TCM of {} "
                               "has {} (cube.memory.tcm_scheduler_bytes)",
                               to_string(tile), to_string(units.at), to_string(budget)));
  }
  return std::min({wanted, budget.count() / tile.count(), plan.tiles()});
}

// Begins the accesses of all its tiles, for the race check.
void begin_accesses(const PeUnits& units, const oplog::AgentPtr& agent, const CompositeJob& job) {
  const oplog::IssuePtr issue = units.races->issue(agent);
  job.pending->issued_as(issue);
  oplog::MemoryAccess access{
      .op = job.values.back(), .call = "load of a composite", .at = job.command.at, .issue = issue};
  for (const Pieces& operand : job.from) units.races->begin(access, operand);
  access.write = true;
  access.call = "store of a composite";
  units.races->begin(access, job.to);
}

}  // namespace

PendingPtr KernelContext::composite(const CompositeCommand& command) {
  auto job = make_pooled<CompositeJob>();
  job->command = command;
  job->name = kernel_;
  job->kernel = shared_from_this();
  job->pending = commands_.under_way(CommandWait{"composite"}, command.at);
  job->mmu = units_.mmu->latency();
  job->in_flight = tiles_in_flight(units_, command);
  const auto place = [&](const CompositeCommand::Input& input, std::string_view call) {
    if (!input.tile) return addresses_.translate(whole(input.at, input.shape, input.dtype), call, command.at);
    return Pieces{};
  };
  job->from = {place(command.a, "composite, load of a,"), place(command.b, "composite, load of b,")};
  if (command.out)
    job->to = addresses_.translate(whole(*command.out, command.shape, command.dtype), "composite, store",
                                   command.at);
  for (const CompositeCommand::EpilogueStep& step : command.epilogue) {
    if (has_number(step)) job->numbers.push_back(units_.reserve());
  }
  const std::size_t operations = 1 + command.epilogue.size() + std::size_t{needs_cast(command)};
  for (std::size_t i = 0; i < operations; ++i) job->values.push_back(units_.reserve());
  const Bytes bytes = command.out ? 0_B : command.shape.bytes(command.dtype);
  const bool now = turns_.may_issue(bytes, {&command.shape, command.dtype}, command.at);
  if (!command.out) job->result = coming(job->values.back(), command.shape, command.dtype, command.at);
  job->order = ++order_;
  PendingPtr done = job->pending;
  if (agent_) begin_accesses(units_, agent_, *job);
  in_order(now, bytes, command.at, [this, job = std::move(job)]() mutable {
    if (job->result) job->result->take();
    Time start = turns_.issue(job->command.at);
    if (const PeTile* operand = last_operand(job->command)) {
      turns_.because_of(operand->why());
      start = std::max(start, operand->ready());
    }
    units_.scheduler->submit(start, std::move(job));
  });
  return done;
}

}  // namespace kbsim::hw
