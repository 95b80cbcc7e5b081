#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "kbsim/base/time.hpp"
#include "kbsim/oplog/issue.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/tile.hpp"
#include "kbsim/tl/wait_ids.hpp"

namespace kbsim {

/// An operation under way that leaves the PE; the backend completes it, once.
class PendingState {
 public:
  PendingState(Simulation& sim, PeBackend& owner, const Identity& what, std::source_location at)
      : owner_{&owner}, done_{sim, what}, at_{at} {}

  void complete(TilePtr tile, Time when) {
    tile_ = std::move(tile);
    when_ = when;
    done_.set();
  }
  void complete(double number, Time when) {
    number_ = number;
    complete(nullptr, when);
  }
  void fail(std::exception_ptr error) {
    error_ = std::move(error);
    done_.set();
  }

  /// The result, if it is a number.
  [[nodiscard]] double number() const { return number_; }
  [[nodiscard]] bool done() const { return done_.is_set(); }
  [[nodiscard]] Event& event() { return done_; }
  [[nodiscard]] PeBackend& owner() const { return *owner_; }
  [[nodiscard]] const std::source_location& at() const { return at_; }
  [[nodiscard]] const Identity& what() const { return done_.id(); }

  /// The command in the race check; null while races aren't checked.
  [[nodiscard]] const oplog::IssuePtr& issue() const { return issue_; }
  void issued_as(oplog::IssuePtr issue) { issue_ = std::move(issue); }

  /// The result, once done; moves the owner's issue clock to the completion if that is later.
  TilePtr observe() {
    const TilePtr& tile = result();
    if (issue_) issue_->awaited();
    owner_->awaited(*this, when_);
    return tile;
  }
  /// The result, taken by a unit: the kernel doesn't observe it.
  [[nodiscard]] const TilePtr& result() const {
    if (error_) std::rethrow_exception(error_);
    return tile_;
  }

 private:
  PeBackend* owner_;
  Event done_;
  std::source_location at_;
  Time when_{};
  TilePtr tile_;
  double number_ = 0.0;
  std::exception_ptr error_;
  oplog::IssuePtr issue_;
};

/// An operation that has started already. Each `co_await` observes its completion and gives its tile or
/// number. Awaiting an empty Pending does nothing. Dropping one without co_await or detach() is a fault when
/// the kernel ends.
template <class T>
class [[nodiscard("co_await it, keep it, or detach() it")]] Pending {
 public:
  Pending() = default;
  explicit Pending(PendingPtr state) : state_{std::move(state)} {}
  Pending(Pending&& other) noexcept : state_{std::move(other.state_)}, seen_{other.seen_} {}
  Pending& operator=(Pending&& other) noexcept {
    if (this != &other) {
      report_if_dropped();
      state_ = std::move(other.state_);
      seen_ = other.seen_;
    }
    return *this;
  }
  // Not inline, as in Awaiter: a kernel has many Pendings, and each has several exits.
  [[gnu::noinline]] ~Pending() { report_if_dropped(); }

  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }
  [[nodiscard]] bool done() const { return !state_ || state_->done(); }
  void detach() {
    if (state_ && !std::exchange(seen_, true)) state_->owner().detached(state_);
  }

  auto operator co_await() { return Awaiter{awaited()}; }
  /// The operation, which counts as awaited from now on; nullptr if it is empty.
  [[nodiscard]] PendingPtr awaited() {
    seen_ = true;
    return state_;
  }

 private:
  class Awaiter {
   public:
    explicit Awaiter(PendingPtr state) : state_{std::move(state)} {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    [[gnu::noinline]] ~Awaiter() = default;
    bool await_ready() const { return !state_ || state_->done(); }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiting) {
      (void)state_->event().wait(state_->at()).suspend(waiting.promise());
    }
    [[gnu::noinline]] T await_resume() {
      TilePtr tile = state_ ? state_->observe() : nullptr;
      if constexpr (std::is_same_v<T, double>) {
        return state_ ? state_->number() : 0.0;
      } else if constexpr (!std::is_void_v<T>) {
        return T{std::move(tile)};
      }
    }

   private:
    PendingPtr state_;
  };

  void report_if_dropped() noexcept {
    if (state_ && !seen_) state_->owner().dropped(*state_);
  }

  PendingPtr state_;
  bool seen_ = false;
};

}  // namespace kbsim
