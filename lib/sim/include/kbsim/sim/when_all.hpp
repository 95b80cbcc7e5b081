#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "kbsim/sim/detail/together.hpp"

namespace kbsim {

namespace detail {

template <class T>
class [[nodiscard]] WhenAll final : public Together<T> {
 public:
  using Together<T>::Together;
  auto await_resume() {
    if (failed_ != nullptr) std::rethrow_exception(failed_->error);
    if constexpr (!std::is_void_v<T>) {
      std::vector<T> values;
      values.reserve(this->tasks_.size());
      for (const Task<T>& task : this->tasks_) values.push_back(task.coroutine().promise().take());
      return values;
    }
  }

 private:
  std::coroutine_handle<> completed(PromiseBase& promise) noexcept override {
    if (promise.error) failed_ = &promise;
    if (Causes* const causes = promise.process->simulation->causes()) [[unlikely]]
      note(*causes);
    if (promise.error || ++ended_ == this->tasks_.size()) return this->caller_;
    return std::noop_coroutine();
  }
  // The waiter goes on because of the task that ends last.
  void note(Causes& causes) {
    if (ended_ > 0) causes.found_met(this);
    causes.met(this);
  }
  const PromiseBase* failed_ = nullptr;
  std::size_t ended_ = 0;
};

class [[nodiscard]] WhenAny final : public Together<void> {
 public:
  WhenAny(std::vector<Task<>>&& tasks, const std::source_location& at) : Together{std::move(tasks), at} {
    ensure(!tasks_.empty(), "when_any has at least one task", at);
  }
  std::size_t await_resume() {
    std::size_t index = 0;
    while (&tasks_[index].coroutine().promise() != first_) ++index;
    tasks_[index].coroutine().promise().take();
    return index;
  }

 private:
  std::coroutine_handle<> completed(PromiseBase& promise) noexcept override {
    first_ = &promise;
    return caller_;
  }
  const PromiseBase* first_ = nullptr;
};

template <std::same_as<Task<>>... Tasks>
std::vector<Task<>> gather(Tasks&&... tasks) {
  std::vector<Task<>> all;
  all.reserve(sizeof...(tasks));
  (all.push_back(std::move(tasks)), ...);
  return all;
}

/// A first parameter that notes the place of the call, before a pack.
struct Placed {
  Task<> task;
  std::source_location at;
  Placed(Task<> first,  // NOLINT(google-explicit-constructor): it stands for the task
         const std::source_location& place = std::source_location::current())
      : task{std::move(first)}, at{place} {}
};

}  // namespace detail

/// Runs the tasks side by side, started in their order at the present time, and waits for all; gives their
/// values in their order. When one throws, the others are cancelled and its exception is rethrown.
template <class T>
[[nodiscard]] detail::WhenAll<T> when_all(std::vector<Task<T>> tasks,
                                          const std::source_location& at = std::source_location::current()) {
  return {std::move(tasks), at};
}
template <std::same_as<Task<>>... Rest>
[[nodiscard]] detail::WhenAll<void> when_all(detail::Placed first, Rest... rest) {
  return {detail::gather(std::move(first.task), std::move(rest)...), first.at};
}

/// Runs the tasks side by side, started in their order at the present time, until the first of them ends, and
/// cancels the others; gives its index, or rethrows what it threw. If several would end at one time, the one
/// whose event comes first ends first.
[[nodiscard]] inline detail::WhenAny when_any(
    std::vector<Task<>> tasks, const std::source_location& at = std::source_location::current()) {
  return {std::move(tasks), at};
}
template <std::same_as<Task<>>... Rest>
[[nodiscard]] detail::WhenAny when_any(detail::Placed first, Rest... rest) {
  return {detail::gather(std::move(first.task), std::move(rest)...), first.at};
}

}  // namespace kbsim
