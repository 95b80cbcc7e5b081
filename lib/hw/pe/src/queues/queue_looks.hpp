#pragma once

#include <optional>

#include "kbsim/hw/pe/poll_clock.hpp"

#include "installed_queues.hpp"

namespace kbsim::hw {

class WaitingCommands;

/// When a waiting command notices its tile or slot: at once, or, with polling, at the next look of pe_cpu.
class QueueLooks {
 public:
  QueueLooks(const QueueUnit& unit, const InstalledQueues& queues) : unit_{unit}, queues_{queues} {}

  [[nodiscard]] bool polls() const { return queues_.in_use().settings.poll.has_value(); }
  /// It is the time of a look, until the end of the turn.
  void look() { looking_ = true; }
  /// When a command of time `asked` goes on if its tile or slot is here. None with polling, unless a look is
  /// now.
  [[nodiscard]] std::optional<Time> seen(Time asked) const {
    if (!polls() || asked == unit_.sim().now()) return unit_.sim().now();
    return looking_ ? std::optional{unit_.sim().now() + clock_.cost()} : std::nullopt;
  }
  /// The end of a turn: with polling, what still waits is looked at from now on. Returns the next look that
  /// finds something, if that isn't known yet.
  [[nodiscard]] std::optional<Time> end_turn(const WaitingCommands& waits);

  /// A command that was asked for because of `asked`, with its tile or slot there because of `there`, goes on
  /// at `at` because of the `last` of them. Causes are kept.
  void go_on_with(const Cause& asked, const Cause& there, const Cause& last, Time at);
  /// The event that is posted next for `at` has the find as its cause.
  void known_at(Time at) const {
    if (found_ && found_.at() == at) [[unlikely]]
      unit_.sim().causes()->because(found_);
  }

  [[nodiscard]] PollClock& clock() { return clock_; }
  [[nodiscard]] const PollClock& clock() const { return clock_; }

 private:
  [[nodiscard]] std::optional<Time> next(const WaitingCommands& waits);
  void begin(const WaitingCommands& waits, const KernelContext& kernel);
  [[nodiscard]] Cause looked(const Cause& asked, const Cause& there, const Cause& last) const;

  const QueueUnit& unit_;
  const InstalledQueues& queues_;
  PollClock clock_;
  Cause found_;           // cause of the last find, if causes are kept
  bool looking_ = false;  // it is the time of a look
  Time next_look_{-1};    // the last that was returned
};

}  // namespace kbsim::hw
