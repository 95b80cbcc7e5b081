#include "kbsim/tl/pending.hpp"

#include <utility>

#include "kbsim/tl/pending_state.hpp"

namespace kbsim::detail {

AnyPending& AnyPending::operator=(AnyPending&& other) noexcept {
  if (this != &other) {
    report_if_dropped();
    state_ = std::move(other.state_);
    seen_ = other.seen_;
  }
  return *this;
}

AnyPending::~AnyPending() { report_if_dropped(); }

bool AnyPending::done() const { return !state_ || state_->done(); }

void AnyPending::detach() {
  if (state_ && !std::exchange(seen_, true)) state_->owner().detached(state_);
}

void AnyPending::report_if_dropped() noexcept {
  if (state_ && !seen_) state_->owner().dropped(*state_);
}

PendingAwaiter::~PendingAwaiter() = default;

bool PendingAwaiter::await_ready() const { return !state_ || state_->done(); }

void PendingAwaiter::suspend(PromiseBase& task) { (void)state_->event().wait(state_->at()).suspend(task); }

TilePtr PendingAwaiter::observe() { return state_ ? state_->observe() : nullptr; }

double PendingAwaiter::observe_number() {
  if (!state_) return 0.0;
  (void)state_->observe();
  return state_->number();
}

}  // namespace kbsim::detail
