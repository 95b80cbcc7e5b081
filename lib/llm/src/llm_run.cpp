#include "kbsim/llm/llm_run.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kbsim/host/host_array.hpp"
#include "kbsim/hw/machine.hpp"

#include "llm_reference.hpp"
#include "move_counter.hpp"
#include "rank_run.hpp"
#include "rank_segments.hpp"
#include "step_launches.hpp"
#include "step_tokens.hpp"

namespace kbsim::inference {
namespace {

using host::HostArray;
using host::Tensor;

std::int64_t hbm_bytes(const host::Rank& rank) {
  host::Session& session = rank.session();
  hw::Machine& machine = session.machine();
  Bytes sum;
  for (int cube = 0; cube < session.spec().cubes_per_sip(); ++cube) {
    for (const NodeId slice : machine.graph().cube(rank.index, cube).hbm) {
      for (const hw::UnitUse& use : machine.component(slice).use()) sum += use.bytes;
    }
  }
  return sum.count();
}

Task<Tensor> made(host::Rank& rank, const PlannedTensor* planned) {
  const host::TensorOptions options{.dp = planned->dp,
                                    .name = planned->name,
                                    .shared = planned->shared,
                                    .mem_kind = planned->region,
                                    .resident = true};
  if (!planned->element || !rank.session().has_values()) {
    const Tensor empty = co_await rank.torch.empty(planned->shape, planned->dtype, options);
    co_return empty;
  }
  const HostArray contents = host::generate(planned->shape, planned->dtype, planned->element);
  const Tensor filled = co_await rank.torch.from_host(contents, options);
  co_return filled;
}

// Queues between packages are set up at the first transfer of their kind: before time begins.
Task<> prepare_transfers(RankRun* run, const std::vector<StepLaunch>* launches) {
  std::set<std::pair<Transfer::Kind, std::string>> prepared;
  for (const StepLaunch& launch : *launches) {
    if (!launch.transfer) continue;
    const bool fresh = prepared.emplace(launch.transfer->kind, launch.transfer->from.name()).second;
    if (!fresh) continue;
    co_await run->transfers.begin(*launch.transfer);
    (void)run->transfers.ended(launch.transfer->kind);
  }
}

Task<> run_step(host::Rank& rank, RankRun* run, std::size_t phase, const std::vector<StepLaunch>* launches) {
  Simulation& sim = rank.session().sim();
  co_await run->board->meet();
  RankStep& step = run->board->step(phase, rank.index);
  step = RankStep{};
  const std::int64_t before = hbm_bytes(rank);
  run->board->begin(phase) = sim.now();
  co_await hand_tokens(rank, run, phase);
  co_await run_segments(rank, run, run->plan->problem.phases[phase], launches, &step);
  co_await read_tokens(run, phase, &step);
  step.reached = sim.now();
  if (const Causes* const causes = sim.causes()) step.why = causes->current();
  step.hbm_bytes = hbm_bytes(rank) - before;
  co_await run->board->meet();
}

struct RankTask {
  const DividedPlan* plan;
  StepBoard* board;
  MoveCounter* moves;
  EqualSegments* equal;
  const std::vector<RankGroups>* groups;
};

Task<> rank_program(host::Rank& rank, RankTask task) {
  const auto index = static_cast<std::size_t>(rank.index);
  const LlmPlan& plan = task.plan->ranks[index];
  RankRun run{.whole = task.plan,
              .plan = &plan,
              .board = task.board,
              .moves = task.moves,
              .equal = task.equal,
              .tensors = {},
              .transfers = {rank, plan.share, (*task.groups)[index]}};
  for (const PlannedTensor& planned : plan.tensors) {
    const Tensor tensor = co_await made(rank, &planned);
    if (planned.held != Held::other) run.moves->note(tensor, planned.held);
    run.tensors.push_back(tensor);
  }
  const bool values = rank.session().has_values();
  for (std::size_t phase = 0; phase < plan.phases.size(); ++phase) {
    const std::vector<StepLaunch> launches = launches_of(plan, run.tensors, phase, values);
    co_await prepare_transfers(&run, &launches);
    co_await run_step(rank, &run, phase, &launches);
    if (plan.problem.phases[phase] != Phase::prefill && plan.problem.warm)
      co_await run_step(rank, &run, phase, &launches);
    if (values) co_await keep_numbers(&run, phase, &task.board->step(phase, rank.index));
  }
}

}  // namespace

Task<> run_llm(host::Rank& main, const DividedPlan* plan, OnRepeat on, LlmRun* run) {
  const Division& division = plan->problem.division;
  MoveCounter moves{main.session(), plan->ranks.front().site};
  EqualSegments equal{main.session().machine(), on, division.ranks()};
  if (division.pp > 1) equal.refuse("the stages of --pp don't come to borders together");
  co_await main.dist.init_process_group({});
  const std::vector<RankGroups> groups = co_await make_groups(main, division);
  StepBoard board{main.session().sim(), division.ranks(), plan->problem.phases.size()};
  const RankTask task{.plan = plan,
                      .board = &board,
                      .moves = &moves,
                      .equal = division.pp == 1 ? &equal : nullptr,
                      .groups = &groups};
  co_await main.mp.spawn(rank_program, task, {.nprocs = division.ranks()});
  for (std::size_t phase = 0; phase < plan->problem.phases.size(); ++phase)
    run->steps.push_back(step_of(*plan, board, phase));
  run->segments = equal.counts();
  if (main.session().has_values()) compare_steps(*plan, board, run);
}

}  // namespace kbsim::inference
