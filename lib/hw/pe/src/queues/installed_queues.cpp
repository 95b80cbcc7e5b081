#include "installed_queues.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/tl/queue_waits.hpp"

namespace kbsim::hw {

std::span<QueuePair> InstalledQueues::install(const InstallQueues& plan) {
  const bool again = std::ranges::any_of(plan.sets, [&](const QueueSet& set) { return find(set.name); });
  if (plan.beside ? again : !sets_.empty())
    throw KernelFault{fmt::format("the queues of {} are installed already", to_string(unit_.at()))};
  const std::size_t before = pairs_.size();
  for (const QueueSet& set : plan.sets) add(set);
  const std::span added = std::span{pairs_}.subspan(before);
  for (QueuePair& pair : added) {
    const std::string& direction = pair.plan.direction;
    pair.label = Dir{direction};
    pair.traced = sets_.size() > 1 ? sets_[pair.set].name + "." + direction : direction;
  }
  return added;
}

void InstalledQueues::add(const QueueSet& plan) {
  ensure(plan.queues.empty() || plan.settings.slots > 0,
         [&] { return unit_.name() + ": queues without slots"; });
  Set& set = sets_.emplace_back(
      Set{.name = plan.name, .settings = plan.settings, .queues = {.first = pairs_.size()}});
  pairs_.reserve(pairs_.size() + plan.queues.size());
  for (const QueuePairPlan& queue : plan.queues) {
    QueuePair pair{.slots = plan.settings.slots,
                   .slot_size = plan.settings.slot_size,
                   .plan = queue,
                   .set = sets_.size() - 1};
    pair.let_go.resize(static_cast<std::size_t>(plan.settings.slots));
    for (const QueuePair& other : pairs_) {
      if (is_there(other) && other.has_ring() && pair.has_ring()) require_disjoint(other, pair);
    }
    pairs_.push_back(std::move(pair));
  }
  set.queues.last = pairs_.size();
  add_rings(set);
  require_room();
}

void InstalledQueues::add_rings(Set& set) {
  auto rings = of(set) | std::views::filter(&QueuePair::has_ring);
  set.fetches = std::ranges::any_of(rings, [this](const QueuePair& pair) { return !in_tcm(pair); });
  for (const QueuePair& pair : rings) {
    if (in_tcm(pair) == set.fetches)
      throw KernelFault{fmt::format("{} has rings in its TCM and rings elsewhere", to_string(unit_.at()))};
    if (!set.fetches) rings_in_tcm_ += set.settings.ring_size();
  }
}

void InstalledQueues::require_disjoint(const QueuePair& a, const QueuePair& b) const {
  const bool apart =
      b.plan.my_base - a.plan.my_base >= a.ring_size() || a.plan.my_base - b.plan.my_base >= b.ring_size();
  if (apart) return;
  throw KernelFault{fmt::format("the rings of {} and {} of {} overlap", a.plan.direction, b.plan.direction,
                                to_string(unit_.at()))};
}

void InstalledQueues::require_room() const {
  const config::MemorySpec& memory = unit_.graph().spec().cube.memory;
  if (rings_in_tcm_ <= memory.tcm - memory.tcm_scheduler) return;
  throw KernelFault{fmt::format(
      "the rings of {} take {} of its TCM, which has {} beside the scheduler's part", to_string(unit_.at()),
      to_string(rings_in_tcm_), to_string(memory.tcm - memory.tcm_scheduler))};
}

bool InstalledQueues::in_tcm(const QueuePair& pair) const {
  return locate(unit_.graph(), pair.plan.my_base).memory == unit_.graph().pe(unit_.at()).tcm;
}

void InstalledQueues::remove(Set& set) {
  set.removed = true;
  if (in_use_ == &set) in_use_ = &none_;
  const auto rings = std::ranges::count_if(of(set), &QueuePair::has_ring);
  if (!set.fetches) rings_in_tcm_ -= set.settings.ring_size() * rings;
}

// Only removed sets at the end go: the other queues keep their indices, which tiles and commands use.
void InstalledQueues::drop_removed() {
  while (!sets_.empty() && sets_.back().removed) {
    pairs_.resize(sets_.back().queues.first);
    sets_.pop_back();
  }
}

InstalledQueues::Set* InstalledQueues::find(std::string_view name) {
  const auto is_it = [&](const Set& one) { return !one.removed && (name.empty() || one.name == name); };
  const auto found = std::ranges::find_if(sets_, is_it);
  return found == sets_.end() ? nullptr : &*found;
}

void InstalledQueues::select(std::string_view name) {
  in_use_ = find(name);
  if (in_use_ == nullptr) in_use_ = &none_;
  none_.name = name;
}

std::size_t InstalledQueues::queue(std::string_view direction, Flow use) const {
  for (std::size_t queue = in_use_->queues.first; queue < in_use_->queues.last; ++queue) {
    const QueuePairPlan& plan = pairs_[queue].plan;
    if (plan.direction != direction) continue;
    if (use == Flow::sends ? sends(plan.flow) : receives(plan.flow)) return queue;
    throw KernelFault{wrong_way(direction, unit_.at(), plan.flow)};
  }
  throw no_queue(direction);
}

KernelFault InstalledQueues::no_queue(std::string_view direction) const {
  std::vector<std::string> installed;
  for (std::size_t queue = in_use_->queues.first; queue < in_use_->queues.last; ++queue)
    installed.push_back(pairs_[queue].plan.direction);
  const bool has_others = in_use_ == &none_ ? !sets_.empty() : sets_.size() > 1;
  return KernelFault{fmt::format("no queue '{}' on {}; installed{}: {}", direction, to_string(unit_.at()),
                                 has_others ? " for " + in_use_->name : "",
                                 installed.empty() ? "none: queues come with the topology of an algorithm"
                                                   : fmt::format("{}", fmt::join(installed, ", ")))};
}

// A set that isn't there yet has no launches.
void InstalledQueues::abort(const std::vector<std::string>& names, std::uint32_t before) {
  for (const std::string& name : names) {
    if (Set* const set = find(name); set != nullptr) set->aborted_before = before;
  }
  any_aborted_ = true;
}

std::string InstalledQueues::label(const QueuePair& pair) const {
  const Set& set = sets_[pair.set];
  return &set == in_use_ ? pair.plan.direction : set.name + "." + pair.plan.direction;
}

}  // namespace kbsim::hw
