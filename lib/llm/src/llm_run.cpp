#include "kbsim/llm/llm_run.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "kbsim/host/host_array.hpp"
#include "kbsim/hw/machine.hpp"

#include "llm_reference.hpp"
#include "move_counter.hpp"
#include "step_launches.hpp"

namespace kbsim::inference {
namespace {

using host::HostArray;
using host::Tensor;

std::int64_t hbm_bytes(host::Session& session) {
  hw::Machine& machine = session.machine();
  Bytes sum;
  for (int cube = 0; cube < session.spec().cubes_per_sip(); ++cube) {
    for (const NodeId slice : machine.graph().cube(0, cube).hbm) {
      for (const hw::UnitUse& use : machine.component(slice).use()) sum += use.bytes;
    }
  }
  return sum.count();
}

Task<Tensor> made(host::Rank& main, const PlannedTensor* planned) {
  const host::TensorOptions options{.dp = planned->dp,
                                    .name = planned->name,
                                    .shared = planned->shared,
                                    .mem_kind = planned->region,
                                    .resident = true};
  if (!planned->element || !main.session().has_values()) {
    const Tensor empty = co_await main.torch.empty(planned->shape, planned->dtype, options);
    co_return empty;
  }
  const HostArray contents = host::generate(planned->shape, planned->dtype, planned->element);
  const Tensor filled = co_await main.torch.from_host(contents, options);
  co_return filled;
}

struct LaunchedOperation {
  std::string_view operation;
  std::int64_t layer = -1;
  host::Work<hw::Activity> work;
};

Task<> await_all(std::vector<LaunchedOperation>* under_way, MoveCounter* moves, StepRun* step) {
  for (const LaunchedOperation& launched : *under_way) {
    const hw::Activity activity = co_await launched.work;
    step->spans.push_back({launched.operation, launched.layer, activity, moves->take(activity.order)});
  }
  under_way->clear();
}

// Launches of a segment are called one after the other: a PE runs them in this order. The host waits at the
// segment's end, and around launches that are alone.
Task<> run_launches(host::Rank& main, std::span<const StepLaunch> launches, MoveCounter* moves,
                    StepRun* step) {
  std::vector<LaunchedOperation> under_way;
  for (const StepLaunch& launch : launches) {
    if (launch.alone) co_await await_all(&under_way, moves, step);
    under_way.push_back(
        {launch.operation, launch.layer, main.launch(launch.kernel, launch.tensors, launch.args)});
    if (launch.alone) co_await await_all(&under_way, moves, step);
  }
  co_await await_all(&under_way, moves, step);
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
  const models::LayerKind kind = plan.problem.model.layer_kind(first.layer);
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

void add_again(const EqualSegments::Begun& begun, std::int64_t layer, StepRun* step) {
  for (OperationSpan span : begun.equal->spans) {
    span.layer = layer;
    step->spans.push_back(later(std::move(span), begun.border->at - begun.equal->work.begin.at));
  }
}

struct StepTask {
  const LlmPlan* plan;
  const std::vector<Tensor>* tensors;
  std::size_t phase;
  EqualSegments* equal;
  MoveCounter* moves;
};

Tensor tensor_of(const StepTask& task, TensorId id) { return (*task.tensors)[static_cast<std::size_t>(id)]; }

std::vector<std::int64_t> integers(const HostArray& array) {
  std::vector<std::int64_t> all;
  for (const double number : array.to_doubles()) all.push_back(static_cast<std::int64_t>(number));
  return all;
}

Task<> run_segment(host::Rank& main, StepTask task, Segment segment, StepRun* step) {
  EqualSegments& equal = *task.equal;
  const EqualSegments::Begun begun =
      equal.begin(key_of(*task.plan, step->phase, segment), addresses_of(segment));
  if (equal.skips(begun)) {
    add_again(begun, segment.front().layer, step);
    co_await main.session().sim().delay(begun.equal->work.time());
    equal.skipped(begun);
    co_return;
  }
  const auto first = static_cast<std::ptrdiff_t>(step->spans.size());
  co_await run_launches(main, segment, task.moves, step);
  equal.simulated(begun, {step->spans.begin() + first, step->spans.end()});
}

Task<StepRun> run_step(host::Rank& main, StepTask task) {
  host::Session& session = main.session();
  StepRun step{.phase = task.plan->problem.phases[task.phase]};
  const std::vector<StepLaunch> launches =
      launches_of(*task.plan, *task.tensors, task.phase, session.has_values());
  const std::int64_t before = hbm_bytes(session);
  step.begin = session.sim().now();
  for (const Segment segment : segments_of(launches)) co_await run_segment(main, task, segment, &step);
  const Tensor tokens = tensor_of(task, task.plan->phases[task.phase].tokens);
  const HostArray ids = co_await tokens.to_host();
  step.end = session.sim().now();
  if (const Causes* const causes = session.sim().causes()) step.why = causes->current();
  step.hbm_bytes = hbm_bytes(session) - before;
  if (ids.has_numbers()) step.tokens = integers(ids);
  co_return step;
}

// The tokens that a decode begins with.
Task<std::vector<std::int64_t>> ids_of(StepTask task) {
  const Tensor ids = tensor_of(task, task.plan->phases[task.phase].ids);
  const HostArray array = co_await ids.to_host();
  co_return integers(array);
}

Task<> check_step(host::Rank& main, StepTask task, LlmReference* reference, StepRun* step) {
  if (!main.session().has_values()) co_return;
  const std::vector<std::int64_t> ids = co_await ids_of(task);
  const Tensor logits = tensor_of(task, task.plan->phases[task.phase].logits);
  const HostArray got = co_await logits.to_host();
  step->logits = compare_logits(got, reference->logits(step->phase, ids));
}

}  // namespace

Task<> run_llm(host::Rank& main, const LlmPlan* plan, OnRepeat on, LlmRun* run) {
  MoveCounter moves{main.session(), plan->site};
  std::vector<Tensor> tensors;
  for (const PlannedTensor& planned : plan->tensors) {
    const Tensor tensor = co_await made(main, &planned);
    if (planned.held != Held::other) moves.note(tensor, planned.held);
    tensors.push_back(tensor);
  }
  co_await main.install_ipcq(main.session().algorithm().name);
  std::unique_ptr<LlmReference> reference;
  if (main.session().has_values()) reference = std::make_unique<LlmReference>(*plan);
  EqualSegments equal{main.session().machine(), on};
  for (std::size_t phase = 0; phase < plan->phases.size(); ++phase) {
    const StepTask task{plan, &tensors, phase, &equal, &moves};
    StepRun step = co_await run_step(main, task);
    if (step.phase == Phase::decode && plan->problem.warm) step = co_await run_step(main, task);
    co_await check_step(main, task, reference.get(), &step);
    run->steps.push_back(std::move(step));
  }
  run->segments = equal.counts();
}

}  // namespace kbsim::inference
