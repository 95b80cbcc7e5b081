#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/sim/when_all.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

#include "control_jobs.hpp"

namespace kbsim::host {
namespace {

SipExchange exchange_of(const std::string& topology) {
  if (topology == "ring_1d") return SipExchange::ring;
  return topology == "mesh_2d_no_wrap" ? SipExchange::mesh : SipExchange::torus;
}

Task<> install(Session& session, int rank, ccl::InstallPlan plan) {
  co_await session.machine().host().order(rank, plan.sip, install_job(plan));
}

}  // namespace

Task<> Rank::run(Task<> program) {
  co_await std::move(program);
  works_.require_awaited();
}

Task<hw::Activity> Rank::launch(std::string kernel, Tensor on, std::any args) {
  KernelCall call = kernels().at(kernel).bind(args);
  const Tensor::Update writing{on};
  const hw::Activity activity =
      co_await session_.machine().host().order(index, on.sip(), launch_job(owners(on), std::move(call)));
  co_return activity;
}

void Accelerator::set_device(int index) {
  if (index < 0) return;
  if (index >= device_count()) {
    throw UsageError{fmt::format("invalid device ordinal {}: the machine has {} devices (system.sips.count)",
                                 index, device_count())};
  }
  device_ = index;
}

int Accelerator::device_count() const { return session_.spec().system.sips.count; }

Task<> Distributed::init_process_group(ProcessGroupOptions options) {
  if (options.backend != "ahbm") {
    throw UsageError{fmt::format("unknown backend '{}' (known: ahbm)", options.backend)};
  }
  const config::AlgorithmSpec& algorithm = session_.algorithm();
  const int sips = session_.spec().system.sips.count;
  const int size = algorithm.world_size == 0 ? sips : algorithm.world_size;
  if (size != sips) {
    throw UsageError{fmt::format("world_size {} of algorithm '{}' on a machine of {} SIPs; a rank is a SIP",
                                 size, algorithm.name, sips)};
  }
  world_.require_uninitialized();
  std::vector<ccl::InstallPlan> plans =
      ccl::build_install_plans(algorithm, session_.spec(), session_.allocators());
  world_.initialize(size, std::string{options.backend});
  std::vector<PeCoord> participants;
  std::vector<Task<>> installs;
  for (ccl::InstallPlan& plan : plans) {
    for (const ccl::PePlan& pe : plan.pes) participants.push_back(pe.pe);
    if (!plan.pes.empty()) installs.push_back(install(session_, rank_, std::move(plan)));
  }
  world_.set_participants(std::move(participants));
  co_await when_all(std::move(installs));
}

std::string Distributed::get_backend() const {
  world_.require_initialized();
  return world_.backend();
}

int Distributed::get_world_size() const {
  world_.require_initialized();
  return world_.size();
}

Work<std::monostate> Distributed::all_reduce(Tensor tensor, AllReduceOptions, std::source_location at) {
  world_.require_initialized();
  world_.begin(rank_, {"ALLREDUCE", to_string(tensor.shape()), std::string{to_string(tensor.dtype())}}, at);
  Tensor::Update update{tensor};
  return works_.start(fmt::format("all_reduce of rank {}", rank_),
                      run_all_reduce(std::move(tensor), std::move(update), at), at);
}

void Distributed::require_runnable(const Tensor& tensor, const std::source_location& at) const {
  const auto refuse = [&](const std::string& why) {
    throw UsageError{fmt::format("{}: all_reduce of '{}': {}", to_string(to_place(at)), tensor.name(), why)};
  };
  if (tensor.sip() != rank_)
    refuse(fmt::format("it is on device {}, but rank {} is device {}", tensor.sip(), rank_, rank_));
  const config::AlgorithmSpec& algorithm = session_.algorithm();
  std::vector<topology::ShardSpec> shards;
  for (const Shard& shard : tensor.shards()) shards.push_back(shard.spec);
  const std::string need = ccl::validators().at(algorithm.validator).check(shards, world_.participants());
  if (!need.empty()) refuse(fmt::format("{} needs {}", algorithm.name, need));
  const auto bytes = [](const topology::ShardSpec& shard) { return shard.nbytes; };
  const auto [smallest, largest] = std::ranges::minmax(shards, {}, bytes);
  if (smallest.nbytes != largest.nbytes) {
    refuse(fmt::format("{} needs shards of one size, got {} and {}", algorithm.name,
                       to_string(smallest.nbytes), to_string(largest.nbytes)));
  }
}

// The Update lives as long as this runs.
Task<std::monostate> Distributed::run_all_reduce(Tensor tensor, Tensor::Update, std::source_location at) {
  require_runnable(tensor, at);
  const config::AlgorithmSpec& algorithm = session_.algorithm();
  const config::MachineSpec& spec = session_.spec();
  const CollectiveArgs args{.data = tensor.ptr(),
                            .n_elem = tensor.shards().front().spec.block.elements(),
                            .cube_w = spec.sip.cube_mesh.w,
                            .cube_h = spec.sip.cube_mesh.h,
                            .world_size = world_.size(),
                            .rank = rank_,
                            .exchange = exchange_of(spec.system.sips.topology)};
  KernelCall call = kernels().at(algorithm.kernel).bind(args);
  CollectiveTiming timing{.rank = rank_, .called = session_.sim().now()};
  world_.launched();
  const hw::Activity activity = co_await session_.machine().host().order(
      rank_, tensor.sip(), launch_job(owners(tensor), std::move(call)));
  world_.completed();
  timing.first_start = activity.first_start;
  timing.last_end = activity.last_end;
  timing.done = session_.sim().now();
  session_.collectives().push_back(timing);
  co_return std::monostate{};
}

}  // namespace kbsim::host
