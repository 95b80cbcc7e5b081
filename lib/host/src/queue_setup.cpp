#include "kbsim/host/queue_setup.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/sim/when_all.hpp"

#include "control_jobs.hpp"

namespace kbsim::host {
namespace {

using Jobs = std::map<int, std::shared_ptr<const hw::ControlJob>>;  // by package

Jobs install_jobs(const std::vector<ccl::InstallPlan>& plans, bool beside) {
  std::map<int, std::vector<ccl::InstallPlan>> of_sips;
  for (const ccl::InstallPlan& plan : plans) {
    if (!plan.pes.empty()) of_sips[plan.sip].push_back(plan);
  }
  Jobs jobs;
  for (const auto& [sip, of_sip] : of_sips) jobs[sip] = install_job(of_sip, beside);
  return jobs;
}

template <class Action>  // hw::RemoveQueues or hw::AbortQueues
Jobs jobs_on(const std::vector<ccl::InstallPlan>& plans) {
  std::map<PeCoord, Action> of_pes;
  for (const ccl::InstallPlan& plan : plans) {
    for (const ccl::PePlan& pe : plan.pes) of_pes[pe.pe].sets.push_back(plan.algorithm);
  }
  std::map<int, std::shared_ptr<hw::ControlJob>> made;
  for (auto& [pe, queues] : of_pes) {
    std::shared_ptr<hw::ControlJob>& job = made[pe.sip];
    if (!job) job = std::make_shared<hw::ControlJob>();
    job->targets.push_back({.pe = pe, .action = std::move(queues), .size = {}});
  }
  return {made.begin(), made.end()};
}

Task<> order(Session& session, int by, int sip, std::shared_ptr<const hw::ControlJob> job) {
  co_await hw::host_of(session.machine()).order(by, sip, std::move(job));
}

// All orders leave at once, so that orders of one process leave before those of a process that begins later.
Task<> order_all(Session& session, int by, Jobs jobs) {
  std::vector<Task<hw::Activity>> orders;
  for (const auto& [sip, job] : jobs) orders.push_back(hw::host_of(session.machine()).order(by, sip, job));
  (void)co_await when_all(std::move(orders));
}

// Each PE reports before the next one is set up.
Task<> install_one_by_one(Session& session, int by, Jobs jobs) {
  for (const auto& [sip, job] : jobs) {
    for (const hw::ControlTarget& target : job->targets) {
      auto one = std::make_shared<hw::ControlJob>();
      one->targets.push_back(target);
      co_await order(session, by, sip, std::move(one));
    }
  }
}

Task<> install_one(Session& session, int by, std::vector<ccl::InstallPlan> plans,
                   std::shared_ptr<QueueSetup> setup) {
  co_await install_queues(session, by, std::move(plans), true);
  setup->done.set();
}

}  // namespace

Task<> install_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans, bool beside) {
  if (std::ranges::any_of(plans, &ccl::InstallPlan::per_pe)) {
    co_await install_one_by_one(session, by, install_jobs(plans, beside));
    co_return;
  }
  co_await order_all(session, by, install_jobs(plans, beside));
}

Task<> remove_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans) {
  co_await order_all(session, by, jobs_on<hw::RemoveQueues>(plans));
  ccl::release_rings(plans, session.allocators());
}

Task<> abort_queues(Session& session, int by, std::vector<ccl::InstallPlan> plans,
                    std::shared_ptr<QueueSetup> done) {
  co_await order_all(session, by, jobs_on<hw::AbortQueues>(plans));
  done->done.set();
}

std::shared_ptr<QueueSetup> QueueSetups::ask(Session& session, const std::string& name, int by, Plans plans) {
  auto setup = std::make_shared<QueueSetup>(session.sim(), name);
  const bool first = requests_.empty();
  requests_.emplace(name, Request{.by = by, .plans = std::move(plans), .setup = setup});
  if (first) (void)session.sim().spawn("setup of queues", serve(session, this));
  return setup;
}

// One process begins all setups, so that their orders leave in the order of names, too.
Task<> QueueSetups::serve(Session& session, QueueSetups* self) {
  co_await session.sim().late();
  const std::map<std::string, Request> requests = std::exchange(self->requests_, {});
  std::vector<Task<>> installs;
  for (const auto& [name, request] : requests) {
    try {
      installs.push_back(install_one(session, request.by, request.plans(), request.setup));
    } catch (...) {
      request.setup->error = std::current_exception();
      request.setup->done.set();
    }
  }
  co_await when_all(std::move(installs));
}

Task<> QueueSetups::ready(std::shared_ptr<QueueSetup> setup) {
  co_await setup->done.wait();
  if (setup->error) std::rethrow_exception(setup->error);
}

}  // namespace kbsim::host
