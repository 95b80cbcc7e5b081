#include "control_jobs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/unique.hpp>
#include <range/v3/view/zip.hpp>

namespace kbsim::host {
namespace {

namespace views = ranges::views;

constexpr Bytes kQueueSize{32};  // per queue of an IpcqInit message: peer, two ring bases, slots

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
  const auto pe = [](const Shard& shard) { return shard.spec.at; };
  return tensor.shards(at) | views::transform(pe) | views::unique | ranges::to<std::vector>;
}

void place_in_grid(hw::ControlJob& job, PackageOfLaunch package) {
  std::map<int, int> programs;  // by cube
  for (const hw::ControlTarget& target : job.targets) ++programs[target.pe.cube];
  const bool ragged = std::ranges::adjacent_find(programs, std::ranges::not_equal_to{},
                                                 &std::pair<const int, int>::second) != programs.end();
  std::map<int, int> so_far;
  for (hw::ControlTarget& target : job.targets) {
    const auto cube = programs.find(target.pe.cube);
    std::get<hw::Launch>(target.action).programs = ProgramPlace{
        .id = {so_far[target.pe.cube]++, static_cast<int>(std::distance(programs.begin(), cube)), package.id},
        .count = {cube->second, static_cast<int>(programs.size()), package.count},
        .ragged = ragged};
  }
}

namespace {

hw::ControlTarget launch_on(PeCoord pe, std::shared_ptr<const KernelCall> kernel,
                            const LaunchSettings& settings) {
  return {
      .pe = pe,
      .action = hw::Launch{.kernel = std::move(kernel), .queues = settings.queues, .round = settings.round},
      .size = {}};
}

std::shared_ptr<hw::ControlJob> job_of(const std::vector<PeCoord>& pes, KernelCall call,
                                       const LaunchSettings& settings) {
  const auto kernel = std::make_shared<const KernelCall>(std::move(call));
  auto job = std::make_shared<hw::ControlJob>();
  for (const PeCoord& pe : pes) job->targets.push_back(launch_on(pe, kernel, settings));
  place_in_grid(*job, settings.package);
  return job;
}

}  // namespace

std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes, KernelCall call,
                                                 const LaunchSettings& settings) {
  return job_of(pes, std::move(call), settings);
}

std::shared_ptr<const hw::ControlJob> launch_job_on(int target_pe, const std::vector<PeCoord>& pes,
                                                    KernelCall call, const LaunchSettings& settings) {
  auto job = job_of(pes, std::move(call), settings);
  std::erase_if(job->targets, [&](const hw::ControlTarget& target) { return target.pe.pe != target_pe; });
  return job;
}

std::shared_ptr<const hw::ControlJob> launch_job(const std::vector<PeCoord>& pes,
                                                 std::vector<KernelCall> calls,
                                                 const LaunchSettings& settings) {
  auto job = std::make_shared<hw::ControlJob>();
  for (auto&& [pe, call] : views::zip(pes, calls))
    job->targets.push_back(launch_on(pe, std::make_shared<const KernelCall>(std::move(call)), settings));
  place_in_grid(*job, settings.package);
  return job;
}

}  // namespace kbsim::host
