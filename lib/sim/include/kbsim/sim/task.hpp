#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/detail/promise.hpp"
#include "kbsim/sim/detail/wait.hpp"

namespace kbsim {

template <class T>
class Task;

namespace detail {

template <class T>
class CallWait;

/// Throws UsageError: the awaited task is empty.
[[noreturn]] void refuse_empty_task(const std::source_location& at);

inline constexpr std::size_t kFrameAlignment = 2 * sizeof(void*);

template <class Awaited>
concept Suspends = requires(Awaited& awaited, PromiseBase& task) { awaited.suspend(task); };

/// Lets a task be awaited, noting where.
class TaskPromise : public PromiseBase {
 public:
  using PromiseBase::PromiseBase;
  template <class U>
  static CallWait<U> await_transform(Task<U>&& called,
                                     std::source_location at = std::source_location::current()) {
    return CallWait<U>{std::move(called), at};
  }
  /// The awaited object makes the task wait if it has to: the frame keeps only what is needed after that.
  template <Suspends Awaited>
  [[gnu::always_inline]] auto await_transform(Awaited&& awaited) {
    return awaited.suspend(*this);
  }
  template <class Awaiter>
    requires(!Suspends<Awaiter>)
  static Awaiter&& await_transform(Awaiter&& awaiter) {
    return std::forward<Awaiter>(awaiter);
  }
};

template <class T>
class Promise : public TaskPromise {
 public:
  Promise() : TaskPromise{&resume} {
    static_assert(alignof(Promise) <= kFrameAlignment, "a frame doesn't keep the alignment of its result");
  }
  Task<T> get_return_object();
  template <class U>
    requires std::convertible_to<U&&, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    if (error) std::rethrow_exception(error);
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> : public TaskPromise {
 public:
  Promise() : TaskPromise{&resume} {}
  Task<void> get_return_object();
  static void return_void() noexcept {}
  void take() const {
    if (error) std::rethrow_exception(error);
  }
};

}  // namespace detail

/// A coroutine that may wait in simulated time and ends with a T. It is lazy: it runs when it is awaited,
/// within the awaiting process and without an event of its own, or when it is spawned. Its exception is
/// thrown at its await. A task destroyed while it waits is cancelled: its locals are destroyed.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using value_type = T;

  Task() = default;
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_{coroutine} {}
  Task(Task&& other) noexcept : coroutine_{std::exchange(other.coroutine_, nullptr)} {}
  Task& operator=(Task&& other) noexcept {
    Task{std::move(other)}.swap(*this);
    return *this;
  }
  ~Task() {
    if (!coroutine_) return;
    detail::PromiseBase& promise = coroutine_.promise();
    if (promise.linked()) promise.unlink();  // before a local of the task goes away
    coroutine_.destroy();
  }
  void swap(Task& other) noexcept { std::swap(coroutine_, other.coroutine_); }

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(coroutine_); }
  /// For the room's own use.
  [[nodiscard]] std::coroutine_handle<promise_type> coroutine() const { return coroutine_; }

 private:
  std::coroutine_handle<promise_type> coroutine_;
};

namespace detail {

inline constexpr WaitKind kCall{
    .text = "a task",
    .what = [](const WaitKind& kind, const void*, const TimedEvent&) { return std::string{kind.text}; },
    .inner = [](const void* of) { return static_cast<const PromiseBase*>(of); }};

/// Awaiting a task is calling it: it runs at once, and the caller goes on when it has ended.
template <class T>
class [[nodiscard]] CallWait {
 public:
  CallWait(Task<T>&& called, const std::source_location& at) : called_{std::move(called)}, at_{at} {
    if (!called_) refuse_empty_task(at);
  }
  static bool await_ready() noexcept { return false; }
  template <class Caller>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Caller> caller) {
    Promise<T>& promise = called_.coroutine().promise();
    promise.process = caller.promise().process;
    promise.after.resume(caller);
    caller.promise().waits(kCall, &promise, at_, {});
    return called_.coroutine();
  }
  T await_resume() { return called_.coroutine().promise().take(); }

 private:
  Task<T> called_;
  std::source_location at_;
};

template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>{std::coroutine_handle<Promise>::from_promise(*this)};
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>{std::coroutine_handle<Promise>::from_promise(*this)};
}

}  // namespace detail
}  // namespace kbsim
