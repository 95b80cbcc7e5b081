#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/ranks.hpp"
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

std::string ranks_text(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  return fmt::format("{} that are {}", counted(ccl::ranks_of(algorithm, machine), "rank"),
                     ccl::ranks_are_pes(algorithm) ? "PEs" : "packages");
}

// Ranks are packages, or PEs if there is a world_size. All algorithms must have the same one.
std::shared_ptr<ProcessGroup> default_group(const config::MachineSpec& machine,
                                            const std::vector<config::AlgorithmSpec>& algorithms) {
  const config::AlgorithmSpec& first = algorithms.front();
  for (const config::AlgorithmSpec& one : algorithms) {
    if (one.world_size == first.world_size) continue;
    throw UsageError{fmt::format("init_process_group: '{}' has {}, but '{}' has {} (world_size)", first.name,
                                 ranks_text(first, machine), one.name, ranks_text(one, machine))};
  }
  const bool flat = ccl::ranks_are_pes(first);
  const std::vector<PeCoord> participants = ccl::participants_of(first, machine);
  std::vector<int> members = ccl::ranks_by_number(machine);
  if (flat) members.resize(static_cast<std::size_t>(participants.back().sip) + 1);
  return std::make_shared<ProcessGroup>(0, members, machine_of(machine, members),
                                        flat ? first.world_size : 0);
}

}  // namespace

void Accelerator::set_device(int index, std::source_location at) {
  if (index < 0) return;
  if (index >= device_count()) {
    throw UsageError{fmt::format("{}: invalid device ordinal {}: the machine has {} (system.sips.count)",
                                 to_string(to_place(at)), index, counted(device_count(), "device"))};
  }
  device_ = index;
  world_.choose_device(rank_, index, session_.sim().now());
}

int Accelerator::device_count() const { return session_.spec().system.sips.count; }

Distributed::Distributed(Session& session, World& world, Works& works, int rank)
    : session_{session}, world_{world}, works_{works}, rank_{rank}, next_group_{world.group_numbers()} {}

Task<> Distributed::init_process_group(ProcessGroupOptions options, Here at) {
  const std::shared_ptr<ProcessGroup> all = at_line(at, [&] {
    if (options.backend != "ahbm")
      throw UsageError{fmt::format("unknown backend '{}' (known: ahbm)", options.backend)};
    const std::vector<config::AlgorithmSpec> algorithms = algorithms_of(session_, options.algorithms);
    for (const config::AlgorithmSpec& algorithm : algorithms) require_known(algorithm);
    auto group = default_group(session_.spec(), algorithms);
    world_.require_uninitialized();
    group->plans = plan_group(session_, *group, algorithms);
    return group;
  });
  world_.initialize(all, options.backend);
  co_await install_queues(session_, rank_, all->plans, false);
}

std::string Distributed::get_backend(Here at) const {
  at_line(at, [&] { world_.require_initialized(); });
  return world_.backend();
}

int Distributed::get_rank(const Group& group, Here at) const {
  const auto of = group_of(group, at);
  return of->rank_of(rank_) ? of->rank_at({.sip = rank_}) : -1;
}

int Distributed::get_world_size(const Group& group, Here at) const {
  const auto of = group_of(group, at);
  return of->rank_of(rank_) ? of->ranks() : -1;
}

std::vector<int> Distributed::get_process_group_ranks(const Group& group, Here at) const {
  const auto of = group_of(group, at);
  if (!of->ranks_are_pes()) return of->members();
  std::vector<int> ranks(static_cast<std::size_t>(of->ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

Task<> Distributed::cooperative_yield() { co_await session_.sim().late(); }

}  // namespace kbsim::host
