#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include "kbsim/sim/detail/process_record.hpp"
#include "kbsim/sim/detail/promise.hpp"
#include "kbsim/sim/executor.hpp"

namespace kbsim::detail {

/// The token that in_task() gives to an Asio operation.
struct InTask {
  const char* what;
  std::source_location at;
};

inline void throw_if(const boost::system::error_code& error) {
  if (error) throw boost::system::system_error{error};
}
inline void throw_if(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
}

/// The results of a completion without its error: nothing, the value, or a tuple.
inline void values_of() {}
template <class Value>
Value values_of(Value&& value) {
  return std::move(value);
}
template <class... Values>
  requires(sizeof...(Values) > 1)
std::tuple<Values...> values_of(Values&&... values) {
  return {std::move(values)...};
}
template <class... Values>
auto values_of(boost::system::error_code&& error, Values&&... values) {
  throw_if(error);
  return values_of(std::move(values)...);
}
template <class... Values>
auto values_of(std::exception_ptr&& error, Values&&... values) {
  throw_if(error);
  return values_of(std::move(values)...);
}

/// Shared by an operation's handler and the task that awaits it.
template <class... Results>
struct AsioCall {
  std::optional<std::tuple<std::decay_t<Results>...>> results;
  PromiseBase* waiting = nullptr;
  boost::asio::cancellation_signal cancel;
};

/// Resumes the task as an event of the present time.
template <class... Results>
struct AsioHandler {
  using executor_type = SimulationExecutor;
  using cancellation_slot_type = boost::asio::cancellation_slot;

  [[nodiscard]] executor_type get_executor() const { return executor; }
  [[nodiscard]] cancellation_slot_type get_cancellation_slot() const { return call->cancel.slot(); }
  template <class... Given>
  void operator()(Given&&... given) const {
    call->results.emplace(std::forward<Given>(given)...);
    if (PromiseBase* const task = std::exchange(call->waiting, nullptr))
      executor.simulation().scheduler().ready(*task);
  }

  std::shared_ptr<AsioCall<Results...>> call;
  SimulationExecutor executor;
};

inline constexpr WaitKind kAsioOperation{.text = "an Asio operation",
                                         .what = [](const WaitKind&, const void* of, const TimedEvent&) {
                                           return std::string{static_cast<const InTask*>(of)->what};
                                         }};

/// The awaiter of a task that waits for an operation.
template <class... Results>
class [[nodiscard]] AsioWait {
 public:
  template <class Start>
  AsioWait(Start& start, const InTask& token, PromiseBase& task)
      : token_{token}, call_{std::make_shared<AsioCall<Results...>>()} {
    start(AsioHandler<Results...>{call_, SimulationExecutor{*task.process->simulation}});
    if (await_ready()) return;
    call_->waiting = &task;
    task.waits(kAsioOperation, &token_, token_.at, task.process->simulation->now());
  }
  AsioWait(const AsioWait&) = delete;
  AsioWait& operator=(const AsioWait&) = delete;
  ~AsioWait() {
    if (std::exchange(call_->waiting, nullptr) != nullptr)
      call_->cancel.emit(boost::asio::cancellation_type::terminal);
  }

  [[nodiscard]] bool await_ready() const noexcept { return call_->results.has_value(); }
  static void await_suspend(std::coroutine_handle<>) noexcept {}
  auto await_resume() {
    return std::apply([](auto&&... results) { return values_of(std::move(results)...); },
                      std::move(*call_->results));
  }

 private:
  InTask token_;
  std::shared_ptr<AsioCall<Results...>> call_;
};

/// An operation that starts when a task awaits it.
template <class Start, class... Results>
struct [[nodiscard]] AsioOperation {
  Start start;
  InTask token;
  [[nodiscard]] AsioWait<Results...> suspend(PromiseBase& task) { return {start, token, task}; }
};

template <class... Results>
class AsioInitiation {
 public:
  template <class Initiation, class... Args>
  static auto initiate(Initiation&& initiation, const InTask& token, Args&&... args) {
    auto start = [begin = std::decay_t<Initiation>{std::forward<Initiation>(initiation)},
                  given = std::tuple<std::decay_t<Args>...>{std::forward<Args>(args)...}](
                     AsioHandler<Results...> handler) mutable {
      std::apply([&](auto&... each) { std::move(begin)(std::move(handler), std::move(each)...); }, given);
    };
    return AsioOperation<decltype(start), Results...>{std::move(start), token};
  }
};

}  // namespace kbsim::detail
