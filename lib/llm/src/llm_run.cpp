#include "kbsim/llm/llm_run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "kbsim/host/host_array.hpp"
#include "kbsim/hw/machine.hpp"

#include "llm_reference.hpp"
#include "move_counter.hpp"
#include "step_board.hpp"
#include "step_launches.hpp"
#include "transfers.hpp"

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

/// A rank, its plan and tensors, and what it shares with others.
struct RankRun {
  const DividedPlan* whole;
  const LlmPlan* plan;
  StepBoard* board;
  MoveCounter* moves;
  EqualSegments* equal;  // none: all is simulated
  std::vector<Tensor> tensors;
  Transfers transfers;

  [[nodiscard]] const RankShare& share() const { return plan->share; }
  [[nodiscard]] Tensor tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
  [[nodiscard]] bool has(TensorId id) const { return id != TensorId::none; }
};

struct LaunchedOperation {
  std::string_view operation;
  std::int64_t layer = -1;
  std::optional<host::Work<hw::Activity>> launch;
  std::optional<Transfer::Kind> kind;
  std::optional<Transfers::Done> transfer;
};

LaunchedOperation begun(host::Rank& rank, const RankRun& run, const StepLaunch& launch) {
  LaunchedOperation begun{.operation = launch.operation, .layer = launch.layer};
  if (launch.transfer) {
    begun.kind = launch.transfer->kind;
    begun.transfer = run.transfers.begin(*launch.transfer);
  } else {
    begun.launch = rank.launch(launch.kernel, launch.tensors, launch.args);
  }
  return begun;
}

Task<hw::Activity> ended(RankRun* run, const LaunchedOperation* launched) {
  if (launched->launch) co_return co_await *launched->launch;
  co_await *launched->transfer;
  co_return run->transfers.ended(*launched->kind);
}

Task<> await_all(RankRun* run, std::vector<LaunchedOperation>* under_way, RankStep* step) {
  for (const LaunchedOperation& launched : *under_way) {
    const hw::Activity activity = co_await ended(run, &launched);
    step->spans.push_back({.operation = launched.operation,
                           .layer = launched.layer,
                           .activity = activity,
                           .moved = run->moves->take(activity.order),
                           .between_packages = launched.kind.has_value()});
  }
  under_way->clear();
}

// Launches of a segment are called one after the other: a PE runs them in this order. The host waits at the
// segment's end, and around launches that are alone.
Task<> run_launches(host::Rank& rank, RankRun* run, std::span<const StepLaunch> launches, RankStep* step) {
  std::vector<LaunchedOperation> under_way;
  for (const StepLaunch& launch : launches) {
    if (launch.alone) co_await await_all(run, &under_way, step);
    under_way.push_back(begun(rank, *run, launch));
    if (launch.alone) co_await await_all(run, &under_way, step);
  }
  co_await await_all(run, &under_way, step);
}

// Consecutive launches of one layer, or of the embedding or the head.
using Segment = std::span<const StepLaunch>;

std::vector<Segment> segments_of(const std::vector<StepLaunch>& launches) {
  std::vector<Segment> segments;
  for (auto first = launches.begin(); first != launches.end();) {
    const auto last = std::find_if(first, launches.end(),
                                   [&](const StepLaunch& launch) { return launch.layer != first->layer; });
    segments.emplace_back(first, last);
    first = last;
  }
  return segments;
}

// Layers of one kind are launched alike, but for the addresses of their own tensors.
std::string key_of(const LlmPlan& plan, Phase phase, Segment segment) {
  const StepLaunch& first = segment.front();
  if (first.layer < 0) return fmt::format("{} {}", to_string(phase), first.operation);
  const models::LayerKind kind = plan.problem.model.layer_kind(first.layer - plan.share.first_layer);
  return fmt::format("{} layer, window {}, rotary {}", to_string(phase), kind.window, kind.rotary);
}

std::vector<std::uint64_t> addresses_of(Segment segment) {
  std::vector<std::uint64_t> addresses;
  for (const StepLaunch& launch : segment) {
    for (const Tensor& tensor : launch.tensors) {
      for (const host::Shard& shard : tensor.shards()) addresses.push_back(shard.pa.bits());
    }
  }
  return addresses;
}

// Stages of a model come to different numbers of segments: they don't meet.
Task<> run_segment(host::Rank& rank, RankRun* run, Phase phase, Segment segment, RankStep* step) {
  EqualSegments& equal = *run->equal;
  co_await equal.begin(rank.index,
                       {.key = key_of(*run->plan, phase, segment), .addresses = addresses_of(segment)});
  std::vector<OperationSpan> spans;
  if (equal.skips()) {
    spans = equal.spans(rank.index);
    for (OperationSpan& span : spans) span.layer = segment.front().layer;
    co_await rank.session().sim().delay(equal.time());
    step->spans.insert(step->spans.end(), spans.begin(), spans.end());
  } else {
    const auto first = static_cast<std::ptrdiff_t>(step->spans.size());
    co_await run_launches(rank, run, segment, step);
    spans = {step->spans.begin() + first, step->spans.end()};
  }
  co_await equal.end(rank.index, std::move(spans));
}

Task<> run_segments(host::Rank& rank, RankRun* run, Phase phase, const std::vector<StepLaunch>* launches,
                    RankStep* step) {
  for (const Segment segment : segments_of(*launches)) {
    if (run->equal != nullptr)
      co_await run_segment(rank, run, phase, segment, step);
    else
      co_await run_launches(rank, run, segment, step);
  }
}

std::vector<std::int64_t> integers(const HostArray& array) {
  std::vector<std::int64_t> all;
  for (const double number : array.to_doubles()) all.push_back(static_cast<std::int64_t>(number));
  return all;
}

// Queues between packages are set up at the first transfer of their kind: before time begins.
Task<> prepare_transfers(RankRun* run, const std::vector<StepLaunch>* launches) {
  for (const StepLaunch& launch : *launches) {
    if (!launch.transfer) continue;
    co_await run->transfers.begin(*launch.transfer);
    (void)run->transfers.ended(launch.transfer->kind);
  }
}

// The tokens of the whole batch that a decode begins with: chosen in a prefill, or drawn.
std::vector<std::int64_t> decode_tokens(const RankRun& run) {
  const LlmProblem& problem = run.plan->problem;
  if (problem.has(Phase::prefill)) return chosen_tokens(*run.whole, *run.board, 0, run.share().at.dp);
  std::vector<std::int64_t> drawn;
  for (std::int64_t i = 0; i < problem.batch; ++i)
    drawn.push_back(run.plan->numbers.token(run.share().first_sequence + i, 0));
  return drawn;
}

HostArray decode_ids(const RankRun& run, bool values) {
  const std::int64_t rows = run.share().own_rows(Phase::decode);
  if (!values) return HostArray::without_numbers({rows}, i32);
  return host::generate({rows}, i32, [&run, all = decode_tokens(run)](std::int64_t i) {
    const std::int64_t row = run.share().whole_row(Phase::decode, run.plan->site.grid, i);
    return static_cast<double>(all[static_cast<std::size_t>(row)]);
  });
}

// The host hands the tokens that it has chosen to the first stage.
Task<> hand_tokens(host::Rank& rank, RankRun* run, std::size_t phase) {
  const RankShare& share = run->share();
  const bool decodes = run->plan->problem.phases[phase] == Phase::decode;
  if (!decodes || !share.first_stage() || !share.host_chooses()) co_return;
  const Tensor ids = run->tensor(run->plan->phases[phase].ids);
  const HostArray tokens = decode_ids(*run, rank.session().has_values());
  co_await ids.copy_(tokens);
}

// The candidates of the ranks that have the head.
Task<> read_tokens(RankRun* run, std::size_t phase, RankStep* step) {
  const PhaseTensors& tensors = run->plan->phases[phase];
  if (!run->has(tensors.tokens)) co_return;
  const Tensor tokens = run->tensor(tensors.tokens);
  const host::Work<HostArray> words = tokens.to_host();
  if (run->has(tensors.largest)) {
    const Tensor largest = run->tensor(tensors.largest);
    const HostArray logits = co_await largest.to_host();
    if (logits.has_numbers()) step->largest = logits.to_doubles();
  }
  const HostArray ids = co_await words;
  if (ids.has_numbers()) step->words = integers(ids);
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

// Ids and logits, which are compared with the undivided model afterwards.
Task<> keep_numbers(RankRun* run, std::size_t phase, RankStep* step) {
  const PhaseTensors& tensors = run->plan->phases[phase];
  if (run->has(tensors.ids)) {
    const Tensor ids = run->tensor(tensors.ids);
    const HostArray array = co_await ids.to_host();
    step->ids = integers(array);
  }
  if (!run->has(tensors.logits)) co_return;
  const Tensor logits = run->tensor(tensors.logits);
  const HostArray array = co_await logits.to_host();
  step->logits = array.to_doubles();
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
    if (plan.problem.phases[phase] == Phase::decode && plan.problem.warm)
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
