#include "kbsim/sim/process.hpp"

#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/causes.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

namespace detail {

ProcessRecord::ProcessRecord(Simulation& owner, std::string called, const Identity& who, Task<> root,
                             bool is_service)
    : simulation{&owner},
      name{std::move(called)},
      id{who},
      task{std::move(root)},
      service{is_service},
      part{owner.scheduler().running().part()} {
  PromiseBase& promise = task.coroutine().promise();
  promise.process = this;
  promise.after.completes(*this);
}

inline void ProcessRecord::end() {
  Simulation& owner = *std::exchange(simulation, nullptr);
  unlink();
  causes = owner.causes();
  if (causes != nullptr) [[unlikely]]
    causes->met(this);
  if (!service) --owner.unfinished_;
  if (!joiners.empty()) owner.scheduler_.ready(joiners);
  task = Task<>{};
  release();
}

std::coroutine_handle<> ProcessRecord::completed(PromiseBase& promise) noexcept {
  error = std::move(promise.error);
  simulation->scheduler_.running().arrived(part);
  if (error && joiners.empty()) {
    simulation->failure_ = Simulation::Failure{name, simulation->now(), error};
    simulation->scheduler_.budget().interrupt();
  }
  end();
  return std::noop_coroutine();
}

void ProcessRecord::cancel() {
  if (simulation->scheduler_.running().process() == this)
    throw UsageError{"process " + name + " can't cancel itself"};
  end();
}

constexpr WaitKind kJoin{
    .text = "the end of process",
    .what =
        [](const WaitKind& kind, const void* of, const TimedEvent&) {
          return std::string{kind.text} + " " + static_cast<const ProcessRecord*>(of)->name;
        },
    .awaits = [](const void* of, const TimedEvent&) { return static_cast<const ProcessRecord*>(of)->id; }};

void JoinWait::found_done() const { joined_->causes->found_met(joined_); }

void JoinWait::begin(PromiseBase& waiter) {
  waiter.waits(kJoin, joined_, at_, joined_->simulation->now());
  joined_->simulation->scheduler().waits(waiter);
  joined_->joiners.push_back(waiter);
}

}  // namespace detail

void Process::cancel() const {
  if (!done()) record_->cancel();
}

}  // namespace kbsim
