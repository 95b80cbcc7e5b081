#pragma once

#include <exception>
#include <source_location>
#include <utility>

#include "kbsim/base/time.hpp"
#include "kbsim/oplog/issue.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/pending.hpp"
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

}  // namespace kbsim
