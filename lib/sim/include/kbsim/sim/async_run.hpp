#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "kbsim/sim/executor.hpp"
#include "kbsim/sim/process.hpp"

namespace kbsim {

namespace detail {

/// A process that runs a task for an Asio handler.
template <class T, class Handler>
class TaskRun : public std::enable_shared_from_this<TaskRun<T, Handler>> {
 public:
  TaskRun(Simulation& sim, Handler&& handler) : sim_{sim}, handler_{std::move(handler)} {}

  void start(std::string name, Task<T> task, const std::source_location& at) {
    process_ = sim_.spawn(std::move(name), run(this->shared_from_this(), std::move(task)), {}, at);
    auto slot = boost::asio::get_associated_cancellation_slot(handler_);
    if (!slot.is_connected()) return;
    slot.assign([self = this->weak_from_this()](boost::asio::cancellation_type type) {
      const std::shared_ptr<TaskRun> run = self.lock();
      if (run && type != boost::asio::cancellation_type::none) run->cancel();
    });
  }

 private:
  using Result = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

  static Task<> run(std::shared_ptr<TaskRun> self, Task<T> task) {
    std::exception_ptr error;
    try {
      if constexpr (std::is_void_v<T>) {
        co_await std::move(task);
      } else {
        self->result_ = co_await std::move(task);
      }
    } catch (...) {
      error = std::current_exception();
    }
    self->complete(std::move(error));
  }
  void cancel() {
    if (process_.done()) return;
    process_.cancel();
    complete(std::make_exception_ptr(
        boost::system::system_error{boost::system::error_code{boost::asio::error::operation_aborted}}));
  }
  void complete(std::exception_ptr error) {
    auto slot = boost::asio::get_associated_cancellation_slot(handler_);
    if (slot.is_connected()) slot.clear();
    const auto executor = boost::asio::get_associated_executor(handler_, executor_of(sim_));
    if constexpr (std::is_void_v<T>) {
      boost::asio::dispatch(executor, boost::asio::append(std::move(handler_), std::move(error)));
    } else {
      Result result = result_ ? std::move(*result_) : Result{};
      boost::asio::dispatch(executor,
                            boost::asio::append(std::move(handler_), std::move(error), std::move(result)));
    }
  }

  Simulation& sim_;
  Handler handler_;
  std::optional<Result> result_;
  Process process_;
};

template <class T>
struct RunSignature {
  using type = void(std::exception_ptr, T);
};
template <>
struct RunSignature<void> {
  using type = void(std::exception_ptr);
};

}  // namespace detail

/// Runs a Task for Asio code, as a process of that name: completes with void(exception_ptr, T), or
/// void(exception_ptr), when the task has ended. Cancelled through the handler's slot, the process is
/// cancelled and it completes with a system_error of operation_aborted. A process that waits for ever is a
/// deadlock.
template <class T, class CompletionToken>
auto async_run(Simulation& sim, std::string name, Task<T> task, CompletionToken&& token,
               const std::source_location& at = std::source_location::current()) {
  return boost::asio::async_initiate<CompletionToken, typename detail::RunSignature<T>::type>(
      [](auto handler, Simulation* owner, std::string called, Task<T> todo, std::source_location place) {
        using Run = detail::TaskRun<T, decltype(handler)>;
        std::make_shared<Run>(*owner, std::move(handler))->start(std::move(called), std::move(todo), place);
      },
      token, &sim, std::move(name), std::move(task), at);
}

}  // namespace kbsim
