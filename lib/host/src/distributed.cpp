#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/sim/when_all.hpp"
#include "kbsim/tl/kernel.hpp"

#include "control_jobs.hpp"

namespace kbsim::host {
namespace {

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

}  // namespace kbsim::host
