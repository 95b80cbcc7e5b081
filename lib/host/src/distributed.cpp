#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/tl/kernel.hpp"

#include "control_jobs.hpp"
#include "group_plans.hpp"

namespace kbsim::host {
namespace {

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

// A rank is a SIP, whatever the algorithm.
void require_world_size(const config::AlgorithmSpec& algorithm, int sips) {
  if (algorithm.world_size == 0 || algorithm.world_size == sips) return;
  throw UsageError{fmt::format("world_size {} of algorithm '{}' on a machine of {} SIPs; a rank is a SIP",
                               algorithm.world_size, algorithm.name, sips)};
}

}  // namespace

void Accelerator::set_device(int index) {
  if (index < 0) return;
  if (index >= device_count()) {
    throw UsageError{fmt::format("invalid device ordinal {}: the machine has {} devices (system.sips.count)",
                                 index, device_count())};
  }
  device_ = index;
  world_.choose_device(rank_, index, session_.sim().now());
}

int Accelerator::device_count() const { return session_.spec().system.sips.count; }

Distributed::Distributed(Session& session, World& world, Works& works, int rank)
    : session_{session}, world_{world}, works_{works}, rank_{rank}, next_group_{world.group_numbers()} {}

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
  const auto all = std::make_shared<ProcessGroup>(0, ccl::ranks_by_number(session_.spec()), session_.spec());
  all->plans = plan_group(session_, *all, algorithms);
  world_.initialize(all, std::string{options.backend});
  co_await install_queues(session_, rank_, all->plans, false);
}

std::string Distributed::get_backend() const {
  world_.require_initialized();
  return world_.backend();
}

int Distributed::get_rank(const Group& group) const { return group_of(group)->rank_of(rank_).value_or(-1); }

int Distributed::get_world_size(const Group& group) const {
  const auto of = group_of(group);
  return of->rank_of(rank_) ? of->size() : -1;
}

std::vector<int> Distributed::get_process_group_ranks(const Group& group) const {
  return group_of(group)->members();
}

Task<> Distributed::cooperative_yield() { co_await session_.sim().late(); }

}  // namespace kbsim::host
