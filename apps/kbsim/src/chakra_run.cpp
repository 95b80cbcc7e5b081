#include "chakra_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kbsim/hw/fabric/reasons.hpp"

namespace kbsim::app {
namespace {

using inputs::chakra::Communication;
using inputs::chakra::CommunicationKind;
using inputs::chakra::WorkItem;
using inputs::chakra::WorkKind;

// A single rank has no receiver; a message without bytes takes no time.
bool takes_time(const Communication& what) {
  return what.ranks.size() > 1 && (what.bytes > 0 || what.kind == CommunicationKind::barrier);
}

}  // namespace

ChakraRun::ChakraRun(const inputs::chakra::Workload& work, hw::Machine& machine, ChakraRates rates,
                     ChakraMemory::LargestFree largest_free)
    : work_{work},
      sim_{machine.sim()},
      graph_{machine.graph()},
      rates_{rates},
      left_{work.items.size()},
      memory_{work.ranks, std::move(largest_free)},
      to_begin_(static_cast<std::size_t>(work.ranks)),
      changed_{sim_, "nodes of the workload have ended"},
      activity_(static_cast<std::size_t>(work.ranks)),
      ranks_(static_cast<std::size_t>(work.ranks)) {
  for (const WorkItem& item : work.items) waiting_.push_back(item.depends_on);
  for (const Communication& what : work.communications)
    to_come_.push_back(static_cast<std::uint32_t>(what.items.size()));
  for (int rank = 0; rank < work.ranks; ++rank)
    wakes_.push_back(std::make_unique<Event>(sim_, fmt::format("work for rank {}", rank)));
}

void ChakraRun::begin() {
  begin_ = end_ = sim_.now();
  for (Activity& activity : activity_) activity.since = begin_;
  for (std::uint32_t item = 0; item < waiting_.size(); ++item) {
    if (waiting_[item] == 0) make_ready(item);
  }
  changed_.set();
}

Task<> ChakraRun::dispatch() {
  while (!done()) {
    co_await changed_.wait();
    co_await sim_.late();
    changed_.reset();
    start_lanes();
    start_communications();
  }
  for (const auto& wake : wakes_) wake->set();
}

std::deque<std::uint32_t> ChakraRun::take(int rank) {
  wake(rank).reset();
  return std::exchange(to_begin_[static_cast<std::size_t>(rank)], {});
}

void ChakraRun::made(int rank, std::uint32_t communication) {
  memory_.made(work_.communications[communication], rank);
}

void ChakraRun::ended(int rank, std::uint32_t communication) {
  const Communication& what = work_.communications[communication];
  change(rank, WorkKind::communication, -1);
  memory_.give_back(rank);
  const auto place = std::ranges::find(what.ranks, rank) - what.ranks.begin();
  finish(what.items[static_cast<std::size_t>(place)]);
  changed_.set();
}

void ChakraRun::finish(std::uint32_t item) {
  --left_;
  end_ = sim_.now();
  ranks_[static_cast<std::size_t>(work_.items[item].rank)].end = end_ - begin_;
  for (const std::uint32_t next : work_.items[item].next) {
    if (--waiting_[next] == 0) make_ready(next);
  }
}

void ChakraRun::make_ready(std::uint32_t index) {
  const WorkItem& item = work_.items[index];
  if (item.kind != WorkKind::communication) {
    const bool instant = item.kind == WorkKind::nothing || duration_of(item) == Time{};
    if (instant)
      instant_.push_back(index);
    else
      lanes_[{item.rank, item.kind}].ready.insert(index);
    return;
  }
  const Communication& what = work_.communications[item.communication];
  if (--to_come_[item.communication] > 0) return;
  if (takes_time(what))
    complete_.insert(item.communication);
  else
    instant_.insert(instant_.end(), what.items.begin(), what.items.end());
}

void ChakraRun::start_lanes() {
  while (!instant_.empty()) {
    const std::uint32_t item = instant_.back();
    instant_.pop_back();
    finish(item);
  }
  for (auto& [lane, state] : lanes_) {
    if (state.busy || state.ready.empty()) continue;
    const std::uint32_t item = *state.ready.begin();
    state.ready.erase(state.ready.begin());
    state.busy = true;
    (void)sim_.spawn(fmt::format("node {} of rank {}", work_.items[item].id, lane.first),
                     work_on(lane, item, duration_of(work_.items[item])));
  }
}

// A communication that waits for room on a rank makes later ones of that rank wait, too.
void ChakraRun::start_communications() {
  std::set<int> full;
  for (const std::uint32_t communication : std::exchange(complete_, {})) {
    const Communication& what = work_.communications[communication];
    const bool behind = std::ranges::any_of(what.ranks, [&](int rank) { return full.contains(rank); });
    if (!behind && memory_.admits(what)) {
      start(communication);
      continue;
    }
    full.insert(what.ranks.begin(), what.ranks.end());
    complete_.insert(communication);
    waited_.insert(communication);
  }
}

void ChakraRun::start(std::uint32_t communication) {
  const Communication& what = work_.communications[communication];
  memory_.take(what);
  for (const int rank : what.ranks) {
    to_begin_[static_cast<std::size_t>(rank)].push_back(communication);
    change(rank, WorkKind::communication, 1);
    wake(rank).set();
  }
}

Task<> ChakraRun::work_on(Lane lane, std::uint32_t item, Time duration) {
  change(lane.first, lane.second, 1);
  if (Causes* const causes = sim_.causes()) [[unlikely]] {
    const NodeId place = graph_.sips()[static_cast<std::size_t>(lane.first)].io_cpu;
    causes->because(
        causes->make(sim_.now() + duration, causes->current(), hw::why(hw::Reason::given, place)));
  }
  co_await sim_.delay(duration);
  change(lane.first, lane.second, -1);
  lanes_[lane].busy = false;
  finish(item);
  changed_.set();
}

Time ChakraRun::duration_of(const WorkItem& item) const {
  if (item.duration_ps) return Time{*item.duration_ps};
  const double computed = static_cast<double>(item.operations) / rates_.operations_per_ns;
  const double moved = static_cast<double>(item.bytes) / rates_.bytes_per_ns;
  constexpr double kLongestNs = 1e15;
  return from_ns(std::min(kLongestNs, std::max(computed, moved)));
}

void ChakraRun::account(int rank) {
  Activity& activity = activity_[static_cast<std::size_t>(rank)];
  ChakraRank& sum = ranks_[static_cast<std::size_t>(rank)];
  const Time passed = sim_.now() - std::exchange(activity.since, sim_.now());
  const bool computes = activity.of(WorkKind::device) > 0;
  const bool communicates = activity.of(WorkKind::communication) > 0;
  if (computes) sum.compute += passed;
  if (activity.of(WorkKind::cpu) > 0) sum.cpu += passed;
  if (activity.of(WorkKind::memory) > 0) sum.memory += passed;
  if (communicates) sum.communication += passed;
  if (communicates && !computes) sum.exposed += passed;
}

void ChakraRun::change(int rank, WorkKind kind, int by) {
  account(rank);
  activity_[static_cast<std::size_t>(rank)].of(kind) += by;
}

}  // namespace kbsim::app
