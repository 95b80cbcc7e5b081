// Process groups of some of the ranks: made, used by their members only, and removed.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"

#include "collective_call.hpp"
#include "group_plans.hpp"

namespace kbsim::host {
namespace {

// Errors in PyTorch's words.
void require_ranks(const std::vector<int>& ranks, int world, const std::source_location& at) {
  const auto require = [&](bool holds, const std::string& why) {
    if (!holds)
      throw UsageError{
          fmt::format("{}: new_group([{}]): {}", to_string(to_place(at)), fmt::join(ranks, ", "), why)};
  };
  require(!ranks.empty(), "a group has one rank at least");
  require(std::ssize(ranks) <= world,
          "the new group's world size should be less or equal to the world size set by init_process_group");
  require(ranks.front() >= 0 && ranks.back() < world,
          "the new group's rank should be within the world_size set by init_process_group");
  require(std::ranges::adjacent_find(ranks) == ranks.end(), "a rank is named twice");
}

std::vector<config::AlgorithmSpec> group_algorithms(const Session& session, const ProcessGroup& all,
                                                    const std::vector<std::string>& names) {
  std::vector<config::AlgorithmSpec> algorithms;
  for (const std::string& name : names) {
    algorithms.push_back(session.algorithm(name));
    require_known(algorithms.back());
  }
  if (!names.empty()) return algorithms;
  for (const InstalledAlgorithm& one : all.algorithms()) algorithms.push_back(one.spec);
  return algorithms;
}

std::string describe(const ProcessGroup::Maker& maker) {
  return fmt::format("Rank {} is running {} at {}", maker.rank, maker.call, to_string(to_place(maker.at)));
}

// The key of the group's first queues.
std::pair<std::string, PeCoord> whole_group() { return {}; }

}  // namespace

std::shared_ptr<ProcessGroup> Distributed::group_of(const Group& group, const Here& at) const {
  at_line(at, [&] { world_.require_initialized(); });
  if (!group.get()) return world_.all();
  const auto found = world_.groups().find(group.get()->number());
  if (found != world_.groups().end() && found->second == group.get()) return group.get();
  throw UsageError{fmt::format("{}: the process group has been destroyed", to_string(to_place(at)))};
}

std::shared_ptr<ProcessGroup> Distributed::own_group(const Group& group, std::string_view call,
                                                     const Here& at) const {
  std::shared_ptr<ProcessGroup> own = group_of(group, at);
  if (own->rank_of(rank_)) return own;
  throw UsageError{fmt::format("{}: Running {} on global rank {} which does not belong to the given group.",
                               to_string(to_place(at)), call, rank_)};
}

Distributed::Site Distributed::site_of(const Group& group, std::string_view call, const Here& at) const {
  Site site{.group = own_group(group, call, at), .at = at};
  site.devices = world_.devices_of(site.group->members(), session_.sim().now());
  site.device = site.devices[static_cast<std::size_t>(*site.group->rank_of(rank_))];
  for (std::size_t i = 0; i < site.devices.size(); ++i) {
    const auto twice = std::find(site.devices.begin(), site.devices.begin() + static_cast<std::ptrdiff_t>(i),
                                 site.devices[i]);
    const auto other = static_cast<std::size_t>(twice - site.devices.begin());
    if (other == i) continue;
    throw UsageError{fmt::format("{}: {}: Duplicate device detected : rank {} and rank {} both on device {}",
                                 to_string(to_place(at)), call, site.group->members()[other],
                                 site.group->members()[i], site.devices[i])};
  }
  return site;
}

// The first rank that calls makes the group. The others find it by their number of calls.
std::shared_ptr<ProcessGroup> Distributed::made_group(std::vector<int> ranks, const GroupOptions& options,
                                                      const Here& at) {
  at_line(at, [&] { world_.require_initialized(); });
  if (world_.all()->ranks_are_pes())
    throw UsageError{
        fmt::format("{}: new_group of ranks that are PEs (world_size)", to_string(to_place(at)))};
  std::ranges::sort(ranks);
  require_ranks(ranks, world_.size(), at);
  const int number = world_.spawned() == 0 ? world_.group_numbers() : std::max(next_group_, 1);
  next_group_ = number + 1;
  const std::string by =
      options.algorithms.empty() ? "" : fmt::format(" by {}", fmt::join(options.algorithms, ", "));
  const ProcessGroup::Maker maker{
      .rank = rank_, .call = fmt::format("new_group([{}]){}", fmt::join(ranks, ", "), by), .at = at};
  if (number < world_.group_numbers()) {
    const auto made = world_.groups().find(number);
    if (made == world_.groups().end())  // its members have destroyed it
      return std::make_shared<ProcessGroup>(number, std::move(ranks), session_.spec());
    if (made->second->made_by.call == maker.call) return made->second;
    throw KernelFault{"Detected mismatch between collectives on ranks. " + describe(maker) + ", but " +
                      describe(made->second->made_by)};
  }
  const auto algorithms =
      at_line(at, [&] { return group_algorithms(session_, *world_.all(), options.algorithms); });
  const auto group = std::make_shared<ProcessGroup>(number, ranks, machine_of(session_.spec(), ranks));
  group->made_by = maker;
  world_.add(group);
  const auto plans = [session = &session_, made = std::weak_ptr{group}, algorithms, at] {
    const std::shared_ptr<ProcessGroup> found = made.lock();
    if (found) found->plans = at_line(at, [&] { return plan_group(*session, *found, algorithms); });
    return found ? found->plans : std::vector<ccl::InstallPlan>{};
  };
  group->setups[whole_group()] =
      world_.queue_setups().ask(session_, fmt::format("group {}", number), ranks.front(), plans);
  return group;
}

Task<Group> Distributed::new_group(std::vector<int> ranks, GroupOptions options, Here at) {
  const std::shared_ptr<ProcessGroup> group = made_group(std::move(ranks), options, at);
  const auto setup = group->setups.find(whole_group());
  const bool uses_it = world_.spawned() == 0 || group->rank_of(rank_);
  if (uses_it && setup != group->setups.end()) co_await QueueSetups::ready(setup->second);
  co_return Group{group};
}

void Distributed::require_removable(const ProcessGroup& group, const Here& at) const {
  if (group.under_way() == 0) return;
  throw UsageError{fmt::format(
      "{}: destroy_process_group while {} under way; await their Works first", to_string(to_place(at)),
      counted(group.under_way(), "collective of its ranks is", "collectives of its ranks are"))};
}

// If ranks run, the last member that calls removes the group.
Task<> Distributed::destroy_process_group(Group group, Here at) {
  const bool alone = world_.spawned() == 0;
  const auto of = alone ? group_of(group, at) : own_group(group, "destroy_process_group", at);
  const auto runs = [&](int rank) { return rank < world_.spawned(); };
  World::Leaving& leaving = world_.leaving[of->number()];
  if (!leaving.done) leaving.done = std::make_shared<QueueSetup>(session_.sim(), "a group that is destroyed");
  const std::shared_ptr<QueueSetup> removed = leaving.done;
  if (!alone && ++leaving.ranks < std::ranges::count_if(of->members(), runs)) {
    co_await QueueSetups::ready(removed);
    co_return;
  }
  world_.leaving.erase(of->number());
  for (const auto& [number, one] : world_.groups()) {
    if (of == world_.all() || one == of) require_removable(*one, at);
  }
  co_await remove(of);
  removed->done.set();
}

// Removing the default group removes all others.
Task<> Distributed::remove(std::shared_ptr<ProcessGroup> group) {
  const bool all = group == world_.all();
  std::vector<ccl::InstallPlan> plans;
  const auto groups = world_.groups();
  for (const auto& [number, one] : groups) {
    if (!all && one != group) continue;
    one->require_received();
    const auto setups = one->setups;
    for (const auto& [of, setup] : setups) co_await QueueSetups::ready(setup);
    if (one->recovery) co_await QueueSetups::ready(one->recovery);
    plans.insert(plans.end(), one->plans.begin(), one->plans.end());
  }
  co_await remove_queues(session_, group->members().front(), std::move(plans));
  if (all) {
    world_.finalize();
  } else {
    world_.remove(group->number());
  }
}

}  // namespace kbsim::host
