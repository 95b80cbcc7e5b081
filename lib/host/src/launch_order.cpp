// A rank's orders leave in the order of its calls, even if some must wait for queues.
#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"

#include "collective_call.hpp"
#include "group_plans.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {

std::shared_ptr<QueueSetup> Distributed::setup_of(const Site& site, const config::AlgorithmSpec& queues,
                                                  PeCoord pe) {
  pe.sip = 0;
  const std::shared_ptr<ProcessGroup>& group = site.group;
  config::AlgorithmSpec named = queues;
  named.name = site.queues(queues.name);
  std::shared_ptr<QueueSetup>& setup = group->setups[{named.name, pe}];
  if (setup) return setup;
  const std::string name = fmt::format("{} on cube{}.pe{}", group->set_name(named.name), pe.cube, pe.pe);
  const auto plans = [session = &session_, made = std::weak_ptr{group}, named, pe, devices = site.devices,
                      at = site.at] {
    const std::shared_ptr<ProcessGroup> found = made.lock();
    if (!found) return std::vector<ccl::InstallPlan>{};
    const auto added = at_line(at, [&] { return plan_pe(*session, *found, named, pe, devices); });
    found->plans.insert(found->plans.end(), added.begin(), added.end());
    return added;
  };
  setup = world_.queue_setups().ask(session_, name, group->members().front(), plans);
  return setup;
}

Task<hw::Activity> Distributed::launch(Job job, Setups setups, const std::vector<Tensor>& tensors) {
  for (const auto& [number, group] : world_.groups()) {
    if (group->recovery) setups.push_back(group->recovery);
  }
  std::erase_if(setups, [](const auto& setup) { return setup->done.is_set() && !setup->error; });
  Events before;
  if (last_sent_ && !last_sent_->is_set()) before.push_back(last_sent_);
  using By = Tensor::Update::By;
  for (const Tensor& tensor : tensors) {
    for (const auto& use : tensor.state()->written(tensor.elements(), {By::host, By::source}))
      before.push_back(use);
  }
  if (setups.empty() && all_set(before)) {
    const hw::OrderWatch::Knowing knowing{session_.orders(), known_of(before)};
    const int sip = job->targets.front().pe.sip;
    return hw::host_of(session_.machine()).order(rank_, sip, std::move(job));
  }
  last_sent_ = std::make_shared<Written>(session_.sim(), "the launch before");
  return launch_later(session_, rank_, std::move(job), std::move(setups), std::move(before), last_sent_);
}

Task<hw::Activity> Distributed::launch_later(Session& session, int rank, Job job, Setups setups,
                                             Events before, std::shared_ptr<Written> sent) {
  co_await wait_for(session, std::move(before));
  for (const auto& setup : setups) co_await setup->done.wait();
  const auto failed = std::ranges::find_if(setups, [](const auto& setup) { return setup->error != nullptr; });
  if (failed != setups.end()) {
    sent->set();
    std::rethrow_exception((*failed)->error);
  }
  const int sip = job->targets.front().pe.sip;
  Task<hw::Activity> ordered = hw::host_of(session.machine()).order(rank, sip, std::move(job));
  sent->set();
  const hw::Activity activity = co_await std::move(ordered);
  co_return activity;
}

}  // namespace kbsim::host
