#pragma once

#include <utility>

#include <boost/asio/async_result.hpp>

#include "kbsim/sim/detail/timer_wait.hpp"

namespace kbsim {

/// Completes with void(error_code) after `d` of simulated time, or with operation_aborted as soon as it is
/// cancelled through the handler's cancellation slot. Throws UsageError if d < 0.
template <class CompletionToken>
auto async_delay(Simulation& sim, Time d, CompletionToken&& token) {
  return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
      [](auto handler, Simulation* owner, Time length) {
        const Time end = owner->after(length);
        detail::TimerWaitOf<decltype(handler)>::start(*owner, end, std::move(handler));
      },
      token, &sim, d);
}

}  // namespace kbsim
