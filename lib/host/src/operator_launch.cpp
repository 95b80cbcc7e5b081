#include "operator_launch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/sim/when_all.hpp"

#include "on_order.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using Job = std::shared_ptr<const hw::ControlJob>;

std::string placements_of(const OperatorCall& call) {
  std::vector<std::string> all;
  for (const TensorOperand& input : call.inputs) {
    const Tensor& tensor = input.tensor();
    all.push_back(fmt::format("'{}' of {} is placed {}", tensor.name(), kbsim::to_string(tensor.shape()),
                              text_of(tensor.state()->dp)));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::shared_ptr<Tensor::State> state_for(const OperatorCall& call, const Shape& shape, DType dtype,
                                         const Placement& place) {
  const Tensor::State& first = *call.input(0).state();
  return std::shared_ptr<Tensor::State>{new Tensor::State{.session = first.session,
                                                          .works = first.works,
                                                          .rank = first.rank,
                                                          .sip = first.sip,
                                                          .name = std::string{call.name},
                                                          .shape = shape,
                                                          .dtype = dtype,
                                                          .dp = place.dp,
                                                          .origin = place.origin,
                                                          .mem_kind = first.mem_kind}};
}

bool fits(const Tensor::State& state, const OperatorResult& result) {
  return std::ranges::all_of(state.placed(), [&](const topology::ShardSpec& shard) {
    return result.computable(shard.at, shard.block);
  });
}

Tensor new_result(const OperatorCall& call, const OperatorResult& result) {
  for (const Placement& place : result.placements) {
    auto state = state_for(call, result.shape, result.dtype, place);
    if (!fits(*state, result)) continue;
    state->allocate(call.name, call.at);
    return Tensor{std::move(state)};
  }
  call.refuse(fmt::format("{}: {}", placements_of(call), result.remedy));
}

Tensor given_result(const OperatorCall& call, const OperatorResult& result) {
  const Tensor& out = *call.options.out;
  call.require(out.shape() == result.shape && out.dtype() == result.dtype,
               fmt::format("the result is {} {}, but out '{}' is {} {}", kbsim::to_string(result.shape),
                           to_string(result.dtype), out.name(), kbsim::to_string(out.shape()),
                           to_string(out.dtype())));
  call.require(out.sip() == call.input(0).sip(),
               fmt::format("out '{}' is on device {}, but '{}' on device {}", out.name(), out.sip(),
                           call.input(0).name(), call.input(0).sip()));
  const LocalParts parts = call.parts_of(out);
  for (const LocalPart& part : parts.all()) {
    call.require(result.strided || part.memory.row_stride == part.block.cols,
                 fmt::format("out '{}' has gaps between its rows; copy the result there", out.name()));
    call.require(result.computable(part.pe, part.block),
                 fmt::format("{}, out '{}' {}: {}", placements_of(call), out.name(), text_of(out.state()->dp),
                             result.remedy));
  }
  return out;
}

// One launch per block that a PE may have of a tiled tensor: launch i computes part i of each PE.
std::vector<Job> jobs_of(const OperatorResult& result, const Tensor& out) {
  std::map<PeCoord, std::size_t> so_far;
  std::vector<std::map<PeCoord, KernelCall>> rounds;
  const LocalParts parts{out};
  for (const LocalPart& part : parts.all()) {
    const std::size_t round = so_far[part.pe]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].emplace(part.pe, result.kernel(part));
  }
  std::vector<Job> jobs;
  for (auto& round : rounds) {
    auto job = std::make_shared<hw::ControlJob>();
    for (auto& [pe, call] : round) {
      const auto kernel = std::make_shared<const KernelCall>(std::move(call));
      job->targets.push_back(
          {.pe = pe, .action = hw::Launch{.kernel = kernel, .programs = ProgramPlace{}}, .size = {}});
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Events writers_of(const OperatorCall& call, const Tensor& out) {
  using By = Tensor::Update::By;
  Events all = out.state()->written(out.elements(), {By::kernel, By::host, By::dma, By::source});
  for (const TensorOperand& input : call.inputs) {
    const Events writers = input.tensor().state()->written();
    all.insert(all.end(), writers.begin(), writers.end());
  }
  return all;
}

// A launch, numbered at its call.
struct Numbered {
  Job job;
  hw::OrderNumber number;
};

std::vector<Numbered> numbered(const Tensor::State& state, std::vector<Job> jobs) {
  std::vector<Numbered> all;
  for (Job& job : jobs)
    all.push_back({std::move(job), hw::host_of(state.session.machine()).number_launch(state.rank)});
  return all;
}

std::vector<Task<hw::Activity>> order(const Tensor::State& state, std::vector<Numbered> launches) {
  hw::IHost& host = hw::host_of(state.session.machine());
  std::vector<Task<hw::Activity>> orders;
  for (Numbered& launch : launches)
    orders.push_back(host.order(state.rank, state.sip, std::move(launch.job), launch.number));
  return orders;
}

OnOrder used_by_kernels(const Tensor& out, const std::vector<TensorOperand>& inputs,
                        const std::vector<Numbered>& launches) {
  std::vector<Tensor> all{out};
  for (const TensorOperand& input : inputs) all.push_back(input.tensor());
  std::vector<Job> jobs;
  for (const Numbered& launch : launches) jobs.push_back(launch.job);
  return {out.state()->session, std::move(jobs), std::move(all)};
}

// The tensors and the Update live as long as this runs.
Task<Tensor> computed(Tensor out, Tensor::Update, std::vector<TensorOperand> inputs, Events writers,
                      std::vector<Task<hw::Activity>> mapped, std::vector<Numbered> launches) {
  co_await when_all(std::move(mapped));
  for (const TensorOperand& input : inputs) {
    if (input.work()) co_await *input.work();
  }
  co_await wait_for(out.state()->session, std::move(writers));
  OnOrder tensors = used_by_kernels(out, inputs, launches);
  co_await when_all(order(*out.state(), std::move(launches)));
  tensors.ended();
  co_return out;
}

}  // namespace

void require_one_device(const OperatorCall& call) {
  const Tensor& first = call.input(0);
  for (const TensorOperand& input : call.inputs) {
    call.require(input.tensor().sip() == first.sip(),
                 fmt::format("Expected all tensors to be on the same device, but '{}' is on device {} and "
                             "'{}' on device {}; copy one by .to(device)",
                             first.name(), first.sip(), input.tensor().name(), input.tensor().sip()));
  }
}

Tensor new_tensor(const OperatorCall& call, const Shape& shape, DType dtype, const Placement& place) {
  auto state = state_for(call, shape, dtype, place);
  state->allocate(call.name, call.at);
  return Tensor{std::move(state)};
}

void OperatorCall::refuse(const std::string& why) const {
  throw UsageError{fmt::format("{}: {}: {}", kbsim::to_string(to_place(at)), name, why)};
}

LocalParts OperatorCall::parts_of(const Tensor& tensor) const {
  return at_line(at, [&] { return LocalParts{tensor}; });
}

Placement placement_of(const Tensor& tensor) { return {tensor.state()->dp, tensor.state()->origin}; }

// Launches that are sent at one time are sent in the order of their calls.
PendingTensor launch(OperatorCall call, const OperatorResult& result) {
  require_one_device(call);
  const bool fresh = !call.options.out;
  const Tensor out = fresh ? new_result(call, result) : given_result(call, result);
  Tensor::State& state = *out.state();
  Events writers = writers_of(call, out);
  std::vector<Task<hw::Activity>> mapped;
  if (fresh) mapped.push_back(state.map());
  std::vector<Numbered> launches = numbered(state, jobs_of(result, out));
  return {state.start(call.name,
                      computed(out, Tensor::Update{out}, std::move(call.inputs), std::move(writers),
                               std::move(mapped), std::move(launches)),
                      call.at),
          out};
}

}  // namespace kbsim::host
