#include "control_jobs.hpp"

#include <map>
#include <utility>

namespace kbsim::host {
namespace {

constexpr Bytes kQueueSize{32};  // of an IpcqInit message: peer, two ring bases, slots

hw::QueueSet queues_of(const ccl::PePlan& pe, const ccl::InstallPlan& plan) {
  hw::QueueSet set{.queues = {}, .settings = plan.settings, .name = plan.algorithm};
  for (const ccl::QueuePlan& queue : pe.queues) {
    set.queues.push_back({.direction = queue.direction,
                          .peer = queue.peer,
                          .my_base = queue.my_ring,
                          .peer_base = queue.peer_ring,
                          .flow = queue.flow});
  }
  return set;
}

}  // namespace

std::shared_ptr<const hw::ControlJob> install_job(const std::vector<ccl::InstallPlan>& plans, bool beside) {
  std::map<PeCoord, hw::InstallQueues> of_pes;
  for (const ccl::InstallPlan& plan : plans) {
    for (const ccl::PePlan& pe : plan.pes) of_pes[pe.pe].sets.push_back(queues_of(pe, plan));
  }
  auto job = std::make_shared<hw::ControlJob>();
  for (auto& [pe, queues] : of_pes) {
    queues.beside = beside;
    std::size_t count = 0;
    for (const hw::QueueSet& set : queues.sets) count += set.queues.size();
    job->targets.push_back(
        {.pe = pe, .action = std::move(queues), .size = kQueueSize * static_cast<std::int64_t>(count)});
  }
  return job;
}

std::vector<PeCoord> owners(const Tensor& tensor, Tensor::Here at) {
  std::vector<PeCoord> pes;
  for (const Shard& shard : tensor.shards(at)) {
    if (pes.empty() || pes.back() != shard.spec.at) pes.push_back(shard.spec.at);
  }
  return pes;
}

std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes, KernelCall call,
                                                 const std::string& algorithm, std::uint64_t round) {
  const auto kernel = std::make_shared<const KernelCall>(std::move(call));
  auto job = std::make_shared<hw::ControlJob>();
  for (const PeCoord& pe : pes) {
    job->targets.push_back(
        {.pe = pe, .action = hw::Launch{.kernel = kernel, .queues = algorithm, .round = round}, .size = {}});
  }
  return job;
}

std::shared_ptr<const hw::ControlJob> grid_job(const std::vector<PeCoord>& pes, KernelCall call,
                                               const std::string& algorithm, std::optional<int> target_pe) {
  const auto kernel = std::make_shared<const KernelCall>(std::move(call));
  std::map<int, int> programs;  // by cube
  for (const PeCoord& pe : pes) ++programs[pe.cube];
  std::map<int, int> so_far;
  auto job = std::make_shared<hw::ControlJob>();
  for (const PeCoord& pe : pes) {
    const hw::ProgramPlace place{.id = so_far[pe.cube]++, .count = programs[pe.cube]};
    if (target_pe.value_or(pe.pe) != pe.pe) continue;
    job->targets.push_back({.pe = pe,
                            .action = hw::Launch{.kernel = kernel, .queues = algorithm, .programs = place},
                            .size = {}});
  }
  return job;
}

std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes,
                                                 std::vector<KernelCall> calls, const std::string& algorithm,
                                                 std::uint64_t round) {
  auto job = std::make_shared<hw::ControlJob>();
  for (std::size_t i = 0; i < pes.size(); ++i) {
    const auto kernel = std::make_shared<const KernelCall>(std::move(calls[i]));
    job->targets.push_back({.pe = pes[i],
                            .action = hw::Launch{.kernel = kernel, .queues = algorithm, .round = round},
                            .size = {}});
  }
  return job;
}

}  // namespace kbsim::host
