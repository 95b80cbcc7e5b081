// Collectives that run a plan: its thread blocks on the PEs of the rank's package, which share the tensors.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/plan_calls.hpp"

#include "aliasing.hpp"
#include "collective_call.hpp"
#include "control_jobs.hpp"
#include "resident.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

std::int64_t elements(const Tensor& tensor) { return tensor.shape().count().value_or(0); }

// Whether the tensors overlap as in place: the smaller one is the rank's share of the larger one.
bool overlap_as_in_place(const ccl::Plan& plan, const Tensor& input, const Tensor& output, int rank) {
  const std::int64_t in = elements(input);
  const std::int64_t out = elements(output);
  if (in == out) return input.ptr() == output.ptr();
  const Tensor& all = in < out ? output : input;
  const Tensor& share = in < out ? input : output;
  return all.ptr() + rank * (elements(all) / plan.ranks()) == share.ptr();
}

// A tensor that takes memory at no simulated time, as if it had been registered before.
Tensor resident(const Tensor& beside, Shape shape, DType dtype, const topology::DPPolicy& dp,
                std::string name, const Tensor::Here& at) {
  const Tensor::State& like = *beside.state();
  auto state = std::shared_ptr<Tensor::State>{new Tensor::State{.session = like.session,
                                                                .works = like.works,
                                                                .rank = like.rank,
                                                                .sip = like.sip,
                                                                .name = std::move(name),
                                                                .shape = shape,
                                                                .dtype = dtype,
                                                                .dp = dp,
                                                                .shared = true,
                                                                .resident = true}};
  state->allocate("a plan's collective", at);
  state->map_resident();
  return Tensor{std::move(state)};
}

}  // namespace

std::vector<Tensor> Distributed::Call::tensors() const {
  std::vector<Tensor> all{input, result()};
  all.insert(all.end(), beside.begin(), beside.end());
  return all;
}

void Distributed::require_plan(const Call& call) const {
  const ccl::Plan& plan = *call.plan();
  const ProcessGroup& group = *call.site.group;
  const auto require = [&](bool holds, const std::string& why) {
    if (holds) return;
    throw UsageError{fmt::format("{}: {} of '{}' by {}: {}", to_string(to_place(call.at)), call.row.call,
                                 call.input.name(), call.by->spec.name, why)};
  };
  require(fits(call, *call.by),
          "its tensors must be on this rank's package, and all PEs there must share them "
          "(shared = true)");
  require(!call.row.has_root || group.rank_of(call.root) == 0, "the root of a plan is rank 0");
  const bool one_tensor = call.row.in_place && plan.in_place;
  require(one_tensor == !call.output,
          one_tensor ? "it works in place, so it has no output tensor" : "it needs an output tensor");
  if (one_tensor) return;
  require(call.input.dtype() == call.output->dtype(), "input and output are of two dtypes");
  require(elements(*call.output) == call.row.out_elems(elements(call.input), group.ranks()),
          fmt::format("{} elements in are {} out, got {}", elements(call.input),
                      call.row.out_elems(elements(call.input), group.ranks()), elements(*call.output)));
  const int rank = group.rank_at({.sip = rank_});
  require(!plan.in_place || overlap_as_in_place(plan, call.input, *call.output, rank),
          "the plan works in place: one tensor must be the rank's share of the other");
  if (plan.in_place) return;
  require_apart(world_, rank_,
                fmt::format("{}: {} by {}, which doesn't work in place", to_string(to_place(call.at)),
                            call.row.call, call.by->spec.name),
                {"input", call.input}, {"output", *call.output});
}

void Distributed::make_plan_memory(Call& call) const {
  const ccl::Plan& plan = *call.plan();
  const int rank = call.site.group->rank_at({.sip = rank_});
  const std::int64_t chunk = ccl::chunk_elems(plan, plan_elems(plan, elements(call.input)));
  const std::int64_t scratch = plan.chunks_of(PlanBuffer::scratch, rank) * chunk;
  const auto blocks = static_cast<std::int64_t>(plan.blocks[static_cast<std::size_t>(rank)].size());
  const topology::DPPolicy spread = ccl::plan_placement(plan, session_.spec());
  const topology::DPPolicy one{.num_cubes = 1, .num_pes = 1};
  const Tensor& like = call.input;
  call.beside.push_back(
      resident(like, {1, std::max<std::int64_t>(scratch, 1)}, like.dtype(), spread, "plan_scratch", call.at));
  call.beside.push_back(
      resident(like, {1, std::max<std::int64_t>(blocks, 1)}, i32, one, "plan_ends", call.at));
  const Tensor& ends = call.beside.back();
  const HostArray zeros = session_.has_values() ? full({1, std::max<std::int64_t>(blocks, 1)}, 0.0, i32)
                                                : HostArray::without_numbers(ends.shape(), i32);
  place(session_, rank_, ends.shards(), zeros);
}

Distributed::Job Distributed::plan_job(const Call& call, const ProcessGroup::Agreed& agreed) const {
  const ccl::Plan& plan = *call.plan();
  const CollectiveArgs args = args_of(call, agreed.tcm);
  std::vector<PeCoord> pes = ccl::plan_pes(plan, call.site.group->machine(), args.rank);
  for (PeCoord& pe : pes) pe.sip = call.site.device;
  const PlanMemory memory{.scratch = call.beside.front().ptr(), .ends = call.beside.back().ptr()};
  return launch_job(pes, plan_calls(plan, call.by->spec, args, memory), settings_of(call, agreed));
}

}  // namespace kbsim::host
