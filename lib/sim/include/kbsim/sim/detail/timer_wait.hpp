#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/system/error_code.hpp>

#include "kbsim/sim/executor.hpp"

namespace kbsim::detail {

/// A wait of an Asio handler for a simulated time. In the list of its timer, if it has one, while it waits.
class TimerWait
    : public TimedEvent,
      public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

 public:
  using List = boost::intrusive::list<TimerWait, boost::intrusive::constant_time_size<false>>;

  TimerWait(const TimerWait&) = delete;
  TimerWait& operator=(const TimerWait&) = delete;

  /// Completes it at the present time, with operation_aborted.
  void cancel() {
    error_ = boost::asio::error::operation_aborted;
    Hook::unlink();
    Link::unlink();
    sim_.scheduler().ready(*this);
  }

 protected:
  TimerWait(Dispatch what, Simulation& sim) : TimedEvent{what}, sim_{sim} {}
  ~TimerWait() = default;

  Simulation& sim_;
  boost::system::error_code error_;
};

/// It is called on its associated executor; its cancellation slot cancels the wait.
template <class Handler>
class TimerWaitOf final : public TimerWait {
 public:
  TimerWaitOf(Simulation& sim, Handler&& handler) : TimerWait{&run, sim}, handler_{std::move(handler)} {}
  static void* operator new(std::size_t size) { return Pool::allocate(size); }
  static void operator delete(void* wait, std::size_t size) { Pool::free(wait, size); }

  static TimerWait& start(Simulation& sim, Time end, Handler&& handler) {
    auto* const wait = new TimerWaitOf{sim, std::move(handler)};
    auto slot = boost::asio::get_associated_cancellation_slot(wait->handler_);
    if (slot.is_connected()) {
      slot.assign([wait](boost::asio::cancellation_type type) {
        if (type != boost::asio::cancellation_type::none) wait->cancel();
      });
    }
    sim.scheduler().at(*wait, end);
    return *wait;
  }

 private:
  static void run(TimedEvent& event, Scheduler* scheduler) {
    std::unique_ptr<TimerWaitOf> self{static_cast<TimerWaitOf*>(&event)};
    if (scheduler == nullptr) return;
    scheduler->running().set(nullptr);
    auto slot = boost::asio::get_associated_cancellation_slot(self->handler_);
    if (slot.is_connected()) slot.clear();
    const auto executor = boost::asio::get_associated_executor(self->handler_, executor_of(self->sim_));
    auto completion = boost::asio::append(std::move(self->handler_), self->error_);
    self.reset();
    boost::asio::dispatch(executor, std::move(completion));
  }

  Handler handler_;
};

}  // namespace kbsim::detail
