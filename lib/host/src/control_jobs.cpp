#include "control_jobs.hpp"

namespace kbsim::host {
namespace {

constexpr Bytes kQueueSize{32};  // of an IpcqInit message: peer, two ring bases, slots

}  // namespace

std::shared_ptr<const hw::ControlJob> install_job(const ccl::InstallPlan& plan) {
  auto job = std::make_shared<hw::ControlJob>();
  for (const ccl::PePlan& pe : plan.pes) {
    hw::InstallQueues queues{.queues = {}, .credit_size = plan.credit_size, .poll = plan.poll};
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

std::vector<PeCoord> owners(const Tensor& tensor) {
  std::vector<PeCoord> pes;
  for (const Shard& shard : tensor.shards()) {
    if (pes.empty() || pes.back() != shard.spec.at) pes.push_back(shard.spec.at);
  }
  return pes;
}

std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes, KernelCall call) {
  const auto kernel = std::make_shared<const KernelCall>(std::move(call));
  auto job = std::make_shared<hw::ControlJob>();
  for (const PeCoord& pe : pes) job->targets.push_back({.pe = pe, .action = hw::Launch{kernel}, .size = {}});
  return job;
}

}  // namespace kbsim::host
