#pragma once

#include <cstddef>
#include <utility>

#include <boost/asio/async_result.hpp>

#include "kbsim/sim/detail/timer_wait.hpp"

namespace kbsim {

/// Asio's steady_timer in simulated time, for code that takes the type of its timer. async_wait() completes
/// with void(error_code) at the expiry, at once if that is past; with operation_aborted as soon as the wait
/// is cancelled, the expiry is set anew, or the timer goes away. It may outlive the simulation.
class SimulatedTimer {
 public:
  using executor_type = SimulationExecutor;
  using duration = Time;
  using time_point = Time;  // since the begin of the simulation

  explicit SimulatedTimer(const executor_type& executor) : executor_{executor} {}
  /// UsageError if d < 0.
  SimulatedTimer(const executor_type& executor, Time d) : SimulatedTimer{executor} { expires_after(d); }
  SimulatedTimer(const SimulatedTimer&) = delete;
  SimulatedTimer& operator=(const SimulatedTimer&) = delete;
  ~SimulatedTimer() { cancel(); }

  [[nodiscard]] executor_type get_executor() const { return executor_; }
  [[nodiscard]] Time expiry() const { return expiry_; }
  /// These give the number of waits that they cancel.
  std::size_t expires_at(Time t) {
    expiry_ = t;
    return cancel();
  }
  std::size_t expires_after(Time d) { return expires_at(executor_.simulation().after(d)); }
  std::size_t cancel() {
    std::size_t cancelled = 0;
    for (; !waits_.empty(); ++cancelled) waits_.front().cancel();
    return cancelled;
  }

  template <class CompletionToken>
  auto async_wait(CompletionToken&& token) {
    return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
        [](auto handler, SimulatedTimer* timer) {
          using Wait = detail::TimerWaitOf<decltype(handler)>;
          timer->waits_.push_back(
              Wait::start(timer->executor_.simulation(), timer->expiry_, std::move(handler)));
        },
        token, this);
  }

 private:
  executor_type executor_;
  Time expiry_{};
  detail::TimerWait::List waits_;
};

}  // namespace kbsim
