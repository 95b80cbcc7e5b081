#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/validator.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/sim/when_all.hpp"
#include "kbsim/tl/kernel.hpp"

#include "control_jobs.hpp"

namespace kbsim::host {
namespace {

Task<> install(Session& session, int rank, std::vector<ccl::InstallPlan> plans) {
  co_await hw::host_of(session.machine()).order(rank, plans.front().sip, install_job(plans));
}

std::vector<config::AlgorithmSpec> algorithms_of(const Session& session,
                                                 const std::vector<std::string>& names) {
  if (names.empty()) return {session.algorithm()};
  std::vector<config::AlgorithmSpec> algorithms;
  for (const std::string& name : names) {
    if (name.empty()) throw UsageError{"init_process_group: an algorithm without a name"};
    if (std::ranges::find(algorithms, name, &config::AlgorithmSpec::name) != algorithms.end())
      throw UsageError{fmt::format("init_process_group: algorithm '{}' is named twice", name)};
    algorithms.push_back(session.algorithm(name));
  }
  return algorithms;
}

// What an algorithm names must be there before anything is reserved or sent.
void require_known(const config::AlgorithmSpec& algorithm) {
  (void)kernels().at(algorithm.kernel);
  (void)ccl::topologies().at(algorithm.topology);
  (void)ccl::mappers().at(algorithm.mapper);
  (void)ccl::validators().at(algorithm.validator);
}

// A rank is a SIP, whatever the algorithm.
void require_world_size(const config::AlgorithmSpec& algorithm, int sips) {
  if (algorithm.world_size == 0 || algorithm.world_size == sips) return;
  throw UsageError{fmt::format("world_size {} of algorithm '{}' on a machine of {} SIPs; a rank is a SIP",
                               algorithm.world_size, algorithm.name, sips)};
}

// Of all algorithms, one after the other: a package's plan of each.
std::vector<ccl::InstallPlan> plans_of(Session& session,
                                       const std::vector<config::AlgorithmSpec>& algorithms) {
  std::vector<ccl::InstallPlan> all;
  for (const config::AlgorithmSpec& algorithm : algorithms) {
    std::ranges::move(ccl::build_install_plans(algorithm, session.spec(), session.allocators()),
                      std::back_inserter(all));
  }
  ccl::require_disjoint(all);
  return all;
}

std::vector<InstalledAlgorithm> installed_by(Session& session,
                                             const std::vector<config::AlgorithmSpec>& algorithms,
                                             const std::vector<ccl::InstallPlan>& plans) {
  const config::MemorySpec& memory = session.spec().cube.memory;
  std::vector<InstalledAlgorithm> installed;
  for (const config::AlgorithmSpec& algorithm : algorithms) {
    InstalledAlgorithm& one = installed.emplace_back();
    one.spec = algorithm;
    one.tcm = memory.tcm - memory.tcm_scheduler;
    for (const ccl::InstallPlan& plan : plans) {
      if (plan.algorithm != algorithm.name) continue;
      for (const ccl::PePlan& pe : plan.pes) {
        one.participants.push_back(pe.pe);
        one.tcm = std::min(one.tcm, session.allocators().pe(pe.pe).tcm.free_bytes());
      }
    }
  }
  return installed;
}

}  // namespace

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
  const int sips = session_.spec().system.sips.count;
  const std::vector<config::AlgorithmSpec> algorithms = algorithms_of(session_, options.algorithms);
  for (const config::AlgorithmSpec& algorithm : algorithms) {
    require_known(algorithm);
    require_world_size(algorithm, sips);
  }
  world_.require_uninitialized();
  const std::vector<ccl::InstallPlan> plans = plans_of(session_, algorithms);
  world_.initialize(sips, std::string{options.backend}, installed_by(session_, algorithms, plans));
  std::vector<Task<>> installs;
  for (int sip = 0; sip < sips; ++sip) {
    std::vector<ccl::InstallPlan> of_sip;
    const auto takes_part = [sip](const auto& plan) { return plan.sip == sip && !plan.pes.empty(); };
    std::ranges::copy_if(plans, std::back_inserter(of_sip), takes_part);
    if (!of_sip.empty()) installs.push_back(install(session_, rank_, std::move(of_sip)));
  }
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
