// Collectives as a host program sees them: checked, then launched as a kernel on every PE that takes part.
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/host/launch_args.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/tl/kernel.hpp"

#include "aliasing.hpp"
#include "collective_call.hpp"
#include "control_jobs.hpp"
#include "group_plans.hpp"
#include "requirements.hpp"

namespace kbsim::host {

namespace {

using config::Collective;

// The number of PEs per cube that have a part of it, equal on all its cubes.
int parts_of_a_cube(const Tensor& tensor) {
  const int first = tensor.shards().front().spec.at.cube;
  const auto in_first = [&](const Shard& shard) { return shard.spec.at.cube == first; };
  return static_cast<int>(std::ranges::count_if(tensor.shards(), in_first));
}

std::string fingerprint_of(Collective collective) {
  std::string letters;
  for (const char c : to_string(collective)) {
    if (c != '_') letters += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return letters;
}

const ccl::CollectiveEntry& row_of(Collective which, const std::source_location& at) {
  try {
    return ccl::collective(which);
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("{}: {}", to_string(to_place(at)), error.what())};
  }
}

std::string installed(const ProcessGroup& group) {
  std::vector<std::string> all;
  for (const InstalledAlgorithm& one : group.algorithms())
    all.push_back(fmt::format("{} for {}", one.spec.name, to_string(one.spec.collective)));
  return fmt::format("{}", fmt::join(all, ", "));
}

// The remedy if no algorithm fits a collective.
std::string remedy_for(Collective collective, const ProcessGroup& group, const Session& session) {
  std::vector<std::string> names;
  for (const InstalledAlgorithm& one : group.algorithms()) {
    if (one.spec.collective == collective) names.push_back(one.spec.name);
  }
  if (!names.empty()) return fmt::format("choose {}", fmt::join(names, " or "));
  for (const auto& [name, algorithm] : session.ccl().algorithms) {
    if (algorithm.collective == collective) names.push_back(name);
  }
  if (names.empty()) return "no algorithm for it is declared";
  return fmt::format("name one to init_process_group: {}", fmt::join(names, " or "));
}

}  // namespace

Distributed::Done Distributed::collective(Collective which, CollectiveCall call, Here at) {
  const ccl::CollectiveEntry& row = row_of(which, at);
  Site site = site_of(call.group, row.call, at);
  return begin({std::move(call), which, row, at, std::move(site)});
}

Distributed::Done Distributed::all_reduce(Tensor tensor, AllReduceOptions options, Here at) {
  return collective(
      Collective::all_reduce,
      {.input = tensor, .op = options.op, .algorithm = options.algorithm, .group = options.group}, at);
}

Distributed::Done Distributed::reduce(Tensor tensor, ReduceOptions options, Here at) {
  return collective(Collective::reduce,
                    {.input = tensor,
                     .op = options.op,
                     .root = options.dst,
                     .algorithm = options.algorithm,
                     .group = options.group},
                    at);
}

Distributed::Done Distributed::broadcast(Tensor tensor, BroadcastOptions options, Here at) {
  return collective(
      Collective::broadcast,
      {.input = tensor, .root = options.src, .algorithm = options.algorithm, .group = options.group}, at);
}

Distributed::Done Distributed::sendrecv(Tensor tensor, CollectiveOptions options, Here at) {
  return collective(Collective::sendrecv,
                    {.input = tensor, .algorithm = options.algorithm, .group = options.group}, at);
}

Distributed::Done Distributed::all_gather_into_tensor(Tensor output, Tensor input, CollectiveOptions options,
                                                      Here at) {
  return collective(
      Collective::all_gather,
      {.input = input, .output = output, .algorithm = options.algorithm, .group = options.group}, at);
}

Distributed::Done Distributed::reduce_scatter_tensor(Tensor output, Tensor input, AllReduceOptions options,
                                                     Here at) {
  return collective(Collective::reduce_scatter,
                    {.input = input,
                     .output = output,
                     .op = options.op,
                     .algorithm = options.algorithm,
                     .group = options.group},
                    at);
}

Distributed::Done Distributed::all_to_all_single(Tensor output, Tensor input, AllToAllOptions options,
                                                 Here at) {
  if (!options.output_split_sizes.empty() || !options.input_split_sizes.empty())
    return all_to_all_by_splits(output, input, std::move(options), at);
  return collective(
      Collective::all_to_all,
      {.input = input, .output = output, .algorithm = options.algorithm, .group = options.group}, at);
}

bool Distributed::fits(const Call& call, const InstalledAlgorithm& by) const {
  if (by.spec.collective != call.which) return false;
  const Requirements all{session_.spec(), by, rank_, call.site.device, ""};
  return !call.site.moved() && all.placement_problem(call.input).empty() &&
         (!call.output || all.placement_problem(*call.output).empty());
}

// Takes the named algorithm; else the first that fits, a chosen one, or the first for the collective, whose
// checks then report the problem. If ranks have moved, no queues are installed: even a named one is chosen.
void Distributed::find_algorithm(Call& call) const {
  const ProcessGroup& group = *call.site.group;
  const auto find = [&](const auto& is_it) {
    const auto found = std::ranges::find_if(group.algorithms(), is_it);
    return found == group.algorithms().end() ? nullptr : &*found;
  };
  const auto is_for_it = [&](const InstalledAlgorithm& one) { return one.spec.collective == call.which; };
  const bool named = !call.algorithm.empty();
  if (named && !call.site.moved()) {
    call.by = find([&](const InstalledAlgorithm& one) { return one.spec.name == call.algorithm; });
    if (call.by != nullptr && is_for_it(*call.by)) return;
  } else {
    call.by = find([&](const InstalledAlgorithm& one) { return fits(call, one); });
    if (call.by != nullptr) return;
    if (!group.ranks_are_pes()) call.by = chosen(call);
    call.anywhere = call.by != nullptr;
    if (call.by == nullptr && !named) call.by = find(is_for_it);
    if (call.by != nullptr) return;
  }
  const std::string what =
      named ? fmt::format("algorithm '{}' is not installed for {}", call.algorithm, to_string(call.which))
            : fmt::format("no algorithm for {} is installed", to_string(call.which));
  throw UsageError{fmt::format("{}: {} of '{}': {} (installed: {}); {}", to_string(to_place(call.at)),
                               call.row.call, call.input.name(), what, installed(group),
                               remedy_for(call.which, group, session_))};
}

// Checks that all ranks make the same call.
ProcessGroup::Agreed Distributed::agree(const Call& call, const Setups& setups) const {
  ProcessGroup& group = *call.site.group;
  const bool said = group.algorithms().size() > 1 || call.anywhere;
  const std::string by = said ? ", by " + call.by->spec.name : "";
  const std::string on = call.anywhere ? ", on " + places_of(call.input, call.at) : "";
  return group.begin(rank_,
                     {.call = call.row.call,
                      .operation = fingerprint_of(call.which),
                      .shape = to_string(call.input.shape()),
                      .dtype = std::string{to_string(call.input.dtype())},
                      .details = fmt::format("{}, root {}{}{}{}", to_string(*call.op), call.root, by, on,
                                             call.site.details())},
                     call.at, [&] { return tcm_for(call, setups); });
}

CollectiveTiming Distributed::timing_of(const Call& call) const {
  const ProcessGroup& group = *call.site.group;
  return {.rank = rank_,
          .called = session_.sim().now(),
          .algorithm = call.by->spec.name,
          .call = call.names_none() ? ccl::Plan::kCustom : call.row.call,
          .elements = call.input.shape().count().value_or(0),
          .dtype = call.input.dtype(),
          .group = group.number(),
          .ranks = static_cast<int>(group.ranks())};
}

Distributed::Done Distributed::begin(Call call) {
  const std::shared_ptr<ProcessGroup>& group = call.site.group;
  (void)call.input.shards(call.at);  // throws here, where the line is known
  if (call.output) (void)call.output->shards(call.at);
  find_algorithm(call);
  call.op = call.op.value_or(static_cast<ReduceOp>(call.by->spec.reduce_op));
  const Setups setups = setups_of(call);
  const ProcessGroup::Agreed agreed = agree(call, setups);
  require_runnable(call);
  if (call.plan() != nullptr) make_plan_memory(call);
  Job job = call.anywhere ? job_anywhere(call, agreed) : job_of(call, agreed);
  InUse tensors{group, call.tensors()};
  Task<hw::Activity> launched = launch(std::move(job), setups, call.tensors());
  std::vector<Tensor::Update> updates;
  updates.emplace_back(call.result());
  const Done work = works_.start(
      {.call = call.row.call, .sequence = agreed.sequence, .rank = rank_, .group = group->number()},
      run(std::move(tensors), std::move(updates), std::move(launched), timing_of(call)), call.at);
  if (ICallWatch* const calls = session_.calls())
    calls->carries(work.key(), {.kind = CallFacts::Kind::collective,
                                .collective = call.which,
                                .bytes = call.input.shape().bytes(call.input.dtype()),
                                .peer = call.root,
                                .group = group->number()});
  return work;
}

void Distributed::require_runnable(const Call& call) const {
  const ProcessGroup& group = *call.site.group;
  const Requirements all{
      session_.spec(), *call.by, rank_, call.site.device,
      fmt::format("{}: {} of '{}'", to_string(to_place(call.at)), call.row.call, call.input.name())};
  const bool combines = call.row.combines || call.names_none();
  const std::string problem = combines ? combination_problem(*call.op, call.input.dtype()) : "";
  all.require(problem.empty(), problem);
  if (call.plan() != nullptr) return require_plan(call);
  const std::int64_t n = group.ranks();
  if (call.anywhere) {
    all.check_slot(call.input);
  } else {
    all.check_placement(call.input);
  }
  all.require(call.root >= 0 && call.root < world_.all()->ranks(),
              fmt::format("rank {} isn't there, the world has {}", call.root, world_.all()->ranks()));
  all.require(!call.row.has_root || group.ranks_are_pes() || group.rank_of(call.root),
              fmt::format("Global rank {} is not part of group", call.root));
  all.require(call.row.in_place == !call.output,
              call.output ? "it works in place, so it has no output tensor" : "it needs an output tensor");
  if (call.row.in_place) return;
  all.check_dtypes(call.input, *call.output);
  if (!call.anywhere) {
    const std::int64_t shares = call.row.shares_in(group.ranks());
    all.check_output(call.input, *call.output, call.row.shares_out(group.ranks()), shares);
    all.require(elements_per_pe(call.input) % shares == 0,
                fmt::format("{} elements a PE aren't divisible by {} ranks", elements_per_pe(call.input), n));
  }
  const auto index_on = [&](PeCoord pe) {
    return group.ranks_are_pes() ? group.rank_at(pe) : *group.rank_of(rank_);
  };
  const Tensor& input = call.input;
  const bool gathers = call.row.in == ccl::Extent::one_share && is_share(input, *call.output, index_on);
  const bool scatters = call.row.out == ccl::Extent::one_share && is_share(*call.output, input, index_on);
  if (gathers || scatters) return;
  require_apart(world_, rank_, fmt::format("{}: {}", to_string(to_place(call.at)), call.row.call),
                {"input", input}, {"output", *call.output});
}

CollectiveArgs Distributed::args_of(const Call& call, Bytes tcm) const {
  const ProcessGroup& group = *call.site.group;
  const bool whole = call.plan() != nullptr;  // its tensor isn't in parts
  CollectiveArgs args = collective_args(
      group.machine_of_ranks(), call.by->spec, group.rank_at({.sip = rank_}), call.input.ptr(),
      whole ? call.input.shape().count().value_or(0) : elements_per_pe(call.input),
      whole ? 1 : parts_of_a_cube(call.input), tcm);
  if (call.output) args.out = call.output->ptr();
  args.op = *call.op;
  args.root = group.ranks_are_pes() ? call.root : group.rank_of(call.root).value_or(0);
  return args;
}

LaunchSettings Distributed::settings_of(const Call& call, const ProcessGroup::Agreed& agreed) const {
  const ProcessGroup& group = *call.site.group;
  return {.queues = call.by->queues,
          .round = agreed.round,
          .package = {.id = group.rank_of(rank_).value_or(0), .count = group.size()}};
}

// A kernel on each PE that takes part: the same on all, unless each is a rank.
Distributed::Job Distributed::job_of(const Call& call, const ProcessGroup::Agreed& agreed) const {
  if (call.plan() != nullptr) return plan_job(call, agreed);
  const ProcessGroup& group = *call.site.group;
  const KernelEntry& kernel = kernels().at(call.by->spec.kernel);
  CollectiveArgs args = args_of(call, agreed.tcm);
  const std::vector<PeCoord> pes = owners(call.input, call.at);
  const LaunchSettings settings = settings_of(call, agreed);
  const auto bound = [&] {
    KernelCall one = kernel.bind(args);
    one.at = call.at;
    return one;
  };
  if (!group.ranks_are_pes()) return launch_job(pes, bound(), settings);
  std::vector<KernelCall> calls;
  for (const PeCoord& pe : pes) {
    args.rank = group.rank_at(pe);
    calls.push_back(bound());
  }
  return launch_job(pes, std::move(calls), settings);
}

namespace {

// Adds the span of a collective, and the spans of its phases inside it.
void note_collective(const CollectiveTiming& timing, hw::ISpans& spans) {
  hw::Span span{.kind = hw::SpanKind::collective,
                .rank = timing.rank,
                .part = to_string(timing.dtype),
                .what = timing.call,
                .detail = timing.algorithm,
                .start = timing.called,
                .end = timing.done,
                .bytes = Bytes{timing.elements * itemsize(timing.dtype)},
                .count = static_cast<std::uint64_t>(timing.ranks),
                .id = static_cast<std::uint64_t>(timing.elements),
                .group = timing.group};
  spans.add(span);
  const std::array parts{std::pair{"dispatch", timing.first_start}, std::pair{"kernel", timing.last_end},
                         std::pair{"report", timing.done}};
  span.kind = hw::SpanKind::phase;
  for (const auto& [name, end] : parts) {
    span.what = name;
    span.end = end;
    spans.add(span);
    span.start = end;
  }
}

}  // namespace

// The tensors and the Updates live as long as this runs.
Task<std::monostate> Distributed::run(InUse tensors, std::vector<Tensor::Update>, Task<hw::Activity> launch,
                                      CollectiveTiming timing) {
  const hw::Activity activity = co_await std::move(launch);
  tensors.ended();
  timing.first_start = activity.first_start;
  timing.last_end = activity.last_end;
  timing.done = session_.sim().now();
  timing.read = activity.work.read;
  timing.order = activity.order;
  timing.why = activity.why;
  session_.collectives().push_back(timing);
  if (hw::ISpans* const spans = session_.machine().fabric().spans()) note_collective(timing, *spans);
  co_return std::monostate{};
}

}  // namespace kbsim::host
