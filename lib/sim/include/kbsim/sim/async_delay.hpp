#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include "kbsim/sim/executor.hpp"

namespace kbsim {

namespace detail {

/// A timer whose handler runs on its associated executor; cancelling it completes it at the present time.
template <class Handler>
struct DelayOperation : TimedEvent {
  DelayOperation(Simulation& owner, Handler&& completion)
      : TimedEvent{&run}, sim{owner}, handler{std::move(completion)} {}
  static void* operator new(std::size_t size) { return Pool::allocate(size); }
  static void operator delete(void* operation, std::size_t size) { Pool::free(operation, size); }

  void start(Time d) {
    const Time end = sim.after(d);
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) {
      slot.assign([this](boost::asio::cancellation_type type) {
        if (type != boost::asio::cancellation_type::none) cancel();
      });
    }
    sim.scheduler().at(*this, end);
  }
  void cancel() {
    error = boost::asio::error::operation_aborted;
    unlink();
    sim.scheduler().ready(*this);
  }
  static void run(TimedEvent& event, Scheduler* scheduler) {
    std::unique_ptr<DelayOperation> self{static_cast<DelayOperation*>(&event)};
    if (scheduler == nullptr) return;
    scheduler->running(nullptr);
    auto slot = boost::asio::get_associated_cancellation_slot(self->handler);
    if (slot.is_connected()) slot.clear();
    const auto executor = boost::asio::get_associated_executor(self->handler, executor_of(self->sim));
    auto completion = boost::asio::append(std::move(self->handler), self->error);
    self.reset();
    boost::asio::dispatch(executor, std::move(completion));
  }

  Simulation& sim;
  Handler handler;
  boost::system::error_code error;
};

}  // namespace detail

/// Completes with void(error_code) after `d` of simulated time, or with operation_aborted as soon as it is
/// cancelled through the handler's cancellation slot. Throws UsageError if d < 0.
template <class CompletionToken>
auto async_delay(Simulation& sim, Time d, CompletionToken&& token) {
  return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
      [](auto handler, Simulation* owner, Time length) {
        using Operation = detail::DelayOperation<decltype(handler)>;
        auto operation = std::make_unique<Operation>(*owner, std::move(handler));
        operation->start(length);
        static_cast<void>(operation.release());
      },
      token, &sim, d);
}

}  // namespace kbsim
