#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/sim/when_all.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::host {
namespace {

constexpr Bytes kQueueSize{32};  // of an IpcqInit message: peer, two ring bases, slots

std::shared_ptr<const hw::ControlJob> install_job(const ccl::InstallPlan& plan) {
  auto job = std::make_shared<hw::ControlJob>();
  for (const ccl::PePlan& pe : plan.pes) {
    hw::InstallQueues queues{.queues = {}, .credit_size = plan.credit_size};
    for (const ccl::QueuePlan& queue : pe.queues) {
      queues.queues.push_back({.direction = queue.direction,
                               .peer = queue.peer,
                               .my_base = queue.my_ring,
                               .peer_base = queue.peer_ring,
                               .slots = plan.slots,
                               .slot_size = plan.slot_size});
    }
    const auto count = static_cast<std::int64_t>(pe.queues.size());
    job->targets.push_back({.pe = pe.pe, .action = std::move(queues), .size = kQueueSize * count});
  }
  return job;
}

// The kernel goes to every PE that owns a shard.
std::shared_ptr<const hw::ControlJob> launch_job(KernelCall call, const Tensor& tensor) {
  const auto kernel = std::make_shared<const KernelCall>(std::move(call));
  auto job = std::make_shared<hw::ControlJob>();
  for (const Shard& shard : tensor.shards()) {
    if (!job->targets.empty() && job->targets.back().pe == shard.spec.at) continue;
    job->targets.push_back({.pe = shard.spec.at, .action = hw::Launch{kernel}, .size = {}});
  }
  return job;
}

SipExchange exchange_of(const std::string& topology) {
  if (topology == "ring_1d") return SipExchange::ring;
  return topology == "mesh_2d_no_wrap" ? SipExchange::mesh : SipExchange::torus;
}

Task<> install(Session& session, int rank, ccl::InstallPlan plan) {
  co_await session.machine().host().order(rank, plan.sip, install_job(plan));
}

}  // namespace

void Accelerator::set_device(int index) {
  if (index < 0) return;
  if (index >= device_count()) {
    throw UsageError{
        fmt::format("device {} of a machine with {} (system.sips.count)", index, device_count())};
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
  world_.initialize(size, std::string{options.backend});
  std::vector<ccl::InstallPlan> plans =
      ccl::build_install_plans(algorithm, session_.spec(), session_.allocators());
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
  return Work<std::monostate>::start(session_.sim(), fmt::format("all_reduce of rank {}", rank_),
                                     run_all_reduce(std::move(tensor)));
}

Task<std::monostate> Distributed::run_all_reduce(Tensor tensor) {
  const config::AlgorithmSpec& algorithm = session_.algorithm();
  const config::MachineSpec& spec = session_.spec();
  std::vector<topology::ShardSpec> shards;
  for (const Shard& shard : tensor.shards()) shards.push_back(shard.spec);
  const std::string need = ccl::validators().at(algorithm.validator).check(shards, world_.participants());
  if (!need.empty()) {
    throw UsageError{fmt::format("all_reduce of '{}': {} needs {}", tensor.name(), algorithm.name, need)};
  }
  const CollectiveArgs args{.data = tensor.ptr(),
                            .n_elem = tensor.shards().front().spec.block.elements(),
                            .cube_w = spec.sip.cube_mesh.w,
                            .cube_h = spec.sip.cube_mesh.h,
                            .world_size = world_.size(),
                            .rank = rank_,
                            .exchange = exchange_of(spec.system.sips.topology)};
  KernelCall call = kernels().at(algorithm.kernel).bind(args);
  CollectiveTiming timing{.rank = rank_, .called = session_.sim().now()};
  const hw::Activity activity =
      co_await session_.machine().host().order(rank_, tensor.sip(), launch_job(std::move(call), tensor));
  timing.first_start = activity.first_start;
  timing.last_end = activity.last_end;
  timing.done = session_.sim().now();
  session_.collectives().push_back(timing);
  co_return std::monostate{};
}

}  // namespace kbsim::host
