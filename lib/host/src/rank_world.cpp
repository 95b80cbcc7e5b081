#include "kbsim/host/rank_world.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/thrown.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::host {
namespace {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (...) {
    return thrown_text();
  }
}

ExitCode exit_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& found) {
    return found.exit_code();
  } catch (const std::bad_alloc&) {
    return ExitCode::limit;
  } catch (...) {  // the program's own exception
    return ExitCode::deadlock;
  }
}

}  // namespace

std::string RankProgram::text() const { return fmt::format("rank {}", rank); }

void World::require_initialized() const {
  if (initialized()) return;
  throw UsageError{
      "Default process group has not been initialized, please make sure to call init_process_group."};
}

void World::require_uninitialized() const {
  if (initialized()) throw UsageError{"trying to initialize the default process group twice!"};
}

void World::initialize(std::shared_ptr<ProcessGroup> all, std::string backend) {
  require_uninitialized();
  backend_ = std::move(backend);
  group_numbers_ = 0;
  add(std::move(all));
}

void World::choose_device(int rank, int device, Time now) {
  const auto [chosen, fresh] = devices_.try_emplace(rank, Device{.since = now, .before = rank, .now = rank});
  Device& of = chosen->second;
  if (of.since != now) of = {.since = now, .before = of.now, .now = of.now};
  of.now = device;
}

std::vector<int> World::devices_of(std::vector<int> ranks, Time now) const {
  for (int& rank : ranks) {
    const auto found = devices_.find(rank);
    if (found != devices_.end()) rank = found->second.since < now ? found->second.now : found->second.before;
  }
  return ranks;
}

void World::finalize() {
  groups_.clear();
  leaving.clear();
}

void World::add(std::shared_ptr<ProcessGroup> group) {
  ensure(group->number() == group_numbers_, "groups are numbered one after the other");
  ++group_numbers_;
  groups_.emplace(group->number(), std::move(group));
}

// A launch that waited for one group's queues was never sent, and neither were the launches after it.
void World::abandon(Session& session) {
  const auto is_under_way = [](const auto& setup) { return setup.second && !setup.second->done.is_set(); };
  const bool launches_lost = std::ranges::any_of(groups_, [&](const auto& group) {
    return is_under_way(std::pair{0, group.second->recovery}) ||
           std::ranges::any_of(group.second->setups, is_under_way);
  });
  for (const auto& [number, group] : groups_) {
    if (!group->abandon(launches_lost)) continue;
    const std::string name = fmt::format("group {}, aborted", number);
    group->recovery = std::make_shared<QueueSetup>(session.sim(), name);
    (void)session.sim().spawn("abort of " + name,
                              abort_queues(session, group->members().front(), group->plans, group->recovery));
  }
  leaving.clear();
}

ProcessGroup::LeftAlone World::leave(int rank) {
  ProcessGroup::LeftAlone all;
  for (const auto& [number, group] : groups_) all.merge(group->leave(rank));
  return all;
}

void World::enter_all() {
  for (const auto& [number, group] : groups_) group->enter_all();
}

void World::require_received() const {
  for (const auto& [number, group] : groups_) group->require_received();
}

std::vector<PartialCollective> World::partial_collectives() const {
  std::vector<PartialCollective> all;
  for (const auto& [number, group] : groups_)
    std::ranges::move(group->partial_collectives(), std::back_inserter(all));
  return all;
}

std::string SpawnException::summary() const {
  std::vector<int> ranks;
  for (const auto& [rank, error] : errors_) ranks.push_back(rank);
  const auto& [first, error] = *errors_.begin();
  return fmt::format("spawn failed on ranks [{}]: rank {} raised {}", fmt::join(ranks, ", "), first,
                     text_of(error));
}

Ranks::Ranks(Session& session, World& world, int count, const std::source_location& at)
    : session_{session},
      world_{world},
      spawned_{world.spawned_ranks()},
      failing_{world.failing()},
      ended_{session.sim(), RanksEnd{}} {
  const int sips = session.spec().system.sips.count;
  if (count < 1 || count > sips) {
    throw UsageError{fmt::format("{}: spawn of {} on a machine of {} (system.sips.count); a rank is a SIP",
                                 to_string(to_place(at)), counted(count, "process", "processes"),
                                 counted(sips, "SIP"))};
  }
  if (*spawned_ > 0) {
    throw UsageError{
        fmt::format("{}: spawn while {} of another spawn run: the main program spawns, one after the other",
                    to_string(to_place(at)), counted(*spawned_, "rank"))};
  }
  *spawned_ = count;
  *failing_ = [this](int rank, const std::exception_ptr& error) {
    failures_.emplace(rank, error);
    ended_.set();
  };
  world.forget_devices();
  world.enter_all();
  for (int i = 0; i < count; ++i) ranks_.push_back(std::make_unique<Rank>(session, world, i));
}

Ranks::~Ranks() {
  cancel();
  *failing_ = {};
  *spawned_ = 0;
}

void Ranks::cancel() {
  for (const Process& process : processes_ | std::views::reverse) process.cancel();
}

void Ranks::start(int index, Task<> program) {
  ++running_;
  const RankProgram id{index};
  processes_.push_back(session_.sim().spawn(id.text(), run(index, std::move(program)), id));
  session_.orders().fork(processes_.back());
  if (session_.calls() != nullptr) session_.calls()->forks(processes_.back());
}

Task<> Ranks::run(int index, Task<> program) {
  std::exception_ptr error;
  try {
    co_await rank(index).run_bare(std::move(program));
  } catch (...) {
    error = std::current_exception();
  }
  if (error) {
    failures_.emplace(index, error);
  } else {
    for (const auto& [waiting, why] : world_.leave(index))
      failures_.emplace(waiting, std::make_exception_ptr(KernelFault{why}));
  }
  known_.push_back(session_.orders().ends());
  --running_;
  if (Causes* const causes = session_.sim().causes()) [[unlikely]]
    note_end(*causes);
  if (!failures_.empty() || running_ == 0) ended_.set();
}

// The last rank that ends sets the end of the spawn.
void Ranks::note_end(Causes& causes) {
  if (known_.size() > 1) causes.found_met(this);
  causes.met(this);
}

// In the late phase, all ranks that fail at this time have failed.
Task<> Ranks::join() {
  co_await ended_.wait();
  co_await session_.sim().late();
  world_.enter_all();
  for (const oplog::KnowledgePtr& known : known_) session_.orders().joins(known);
  for (const Process& process : processes_) {
    if (session_.calls() != nullptr) session_.calls()->joins(process);
  }
  if (failures_.empty()) {
    world_.require_received();
    co_return;
  }
  cancel();
  world_.abandon(session_);
  // A signal ends all ranks: it isn't the error of the rank that noticed it.
  for (const auto& failure : failures_) {
    if (exit_of(failure.second) == ExitCode::interrupted) std::rethrow_exception(failure.second);
  }
  const auto& [first, error] = *failures_.begin();
  const std::size_t more = failures_.size() - 1;
  const std::string others = more > 0 ? fmt::format("\n({} more failed at the same time)", more) : "";
  throw SpawnException{exit_of(error),
                       fmt::format("\n-- Process {} terminated with the following error:\n{}{}", first,
                                   text_of(error), others),
                       failures_};
}

}  // namespace kbsim::host
