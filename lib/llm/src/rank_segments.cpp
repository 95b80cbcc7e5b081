#include "rank_segments.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "move_counter.hpp"

namespace kbsim::inference {
namespace {

using host::Tensor;

struct LaunchedOperation {
  std::string_view operation;
  std::int64_t layer = -1;
  ModelPart part{};
  std::optional<host::Work<hw::Activity>> launch;
  std::optional<Transfer::Kind> kind;
  std::optional<Transfers::Done> transfer;
};

LaunchedOperation begun(host::Rank& rank, const RankRun& run, const StepLaunch& launch) {
  LaunchedOperation begun{.operation = launch.operation, .layer = launch.layer, .part = launch.part};
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
                           .part = launched.part,
                           .activity = activity,
                           .moved = run->moves->take(activity.order),
                           .between_packages = launched.kind.has_value()});
  }
  under_way->clear();
}

// Launches of a segment are called one after the other: a PE runs them in this order. The host waits at the
// segment's end, and after a launch that is alone.
Task<> run_launches(host::Rank& rank, RankRun* run, std::span<const StepLaunch> launches, RankStep* step) {
  std::vector<LaunchedOperation> under_way;
  for (const StepLaunch& launch : launches) {
    under_way.push_back(begun(rank, *run, launch));
    if (launch.alone) co_await await_all(run, &under_way, step);
  }
  co_await await_all(run, &under_way, step);
}

// Consecutive launches, up to the next one that is alone: that of attention.
using Segment = std::span<const StepLaunch>;

std::vector<Segment> segments_of(const std::vector<StepLaunch>& launches) {
  std::vector<Segment> segments;
  for (auto first = launches.begin(); first != launches.end();) {
    const auto last = std::find_if(first + 1, launches.end(), std::mem_fn(&StepLaunch::alone));
    segments.emplace_back(first, last);
    first = last;
  }
  return segments;
}

// Layers of one kind are launched alike, but for the addresses of their own tensors.
std::string key_of(const LlmPlan& plan, Phase phase, Segment segment) {
  std::string key{to_string(phase)};
  for (const StepLaunch& launch : segment) {
    key += fmt::format(", {}", launch.operation);
    if (launch.layer < 0) continue;
    const models::LayerKind kind = plan.problem.model.layer_kind(launch.layer - plan.share.first_layer);
    if (kind != models::LayerKind{}) key += fmt::format(" of window {}, rotary {}", kind.window, kind.rotary);
  }
  return key;
}

std::int64_t first_layer(Segment segment) {
  const auto first =
      std::ranges::find_if(segment, [](const StepLaunch& launch) { return launch.layer >= 0; });
  return first != segment.end() ? first->layer : 0;
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
  co_await equal.begin(rank.index, {.key = key_of(*run->plan, phase, segment),
                                    .layer = first_layer(segment),
                                    .addresses = addresses_of(segment)});
  std::vector<OperationSpan> spans;
  if (equal.skips()) {
    spans = equal.spans(rank.index);
    co_await rank.session().sim().delay(equal.time());
    step->spans.insert(step->spans.end(), spans.begin(), spans.end());
  } else {
    const auto first = static_cast<std::ptrdiff_t>(step->spans.size());
    co_await run_launches(rank, run, segment, step);
    spans = {step->spans.begin() + first, step->spans.end()};
  }
  co_await equal.end(rank.index, std::move(spans));
}

}  // namespace

Task<> run_segments(host::Rank& rank, RankRun* run, Phase phase, const std::vector<StepLaunch>* launches,
                    RankStep* step) {
  for (const Segment segment : segments_of(*launches)) {
    if (run->equal != nullptr)
      co_await run_segment(rank, run, phase, segment, step);
    else
      co_await run_launches(rank, run, segment, step);
  }
}

}  // namespace kbsim::inference
