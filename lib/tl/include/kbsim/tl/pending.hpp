#pragma once

#include <coroutine>
#include <type_traits>
#include <utility>

#include "kbsim/sim/detail/promise.hpp"
#include "kbsim/tl/memory_command.hpp"
#include "kbsim/tl/tile.hpp"

namespace kbsim {

namespace detail {

/// The part of a Pending, and of awaiting one, that is the same whatever the result is. Its functions are
/// compiled once: a kernel has many Pendings, and each has several exits.
class AnyPending {
 public:
  AnyPending() = default;
  explicit AnyPending(PendingPtr state) : state_{std::move(state)} {}
  AnyPending(AnyPending&& other) noexcept : state_{std::move(other.state_)}, seen_{other.seen_} {}
  AnyPending& operator=(AnyPending&& other) noexcept;
  ~AnyPending();

  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }
  [[nodiscard]] bool done() const;
  void detach();
  /// The operation, which counts as awaited from now on; nullptr if it is empty.
  [[nodiscard]] PendingPtr awaited() {
    seen_ = true;
    return state_;
  }

 private:
  void report_if_dropped() noexcept;

  PendingPtr state_;
  bool seen_ = false;
};

class PendingAwaiter {
 public:
  explicit PendingAwaiter(PendingPtr state) : state_{std::move(state)} {}
  PendingAwaiter(const PendingAwaiter&) = delete;
  PendingAwaiter& operator=(const PendingAwaiter&) = delete;
  ~PendingAwaiter();
  [[nodiscard]] bool await_ready() const;
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) {
    suspend(waiting.promise());
  }

 protected:
  /// The result; observes the completion.
  TilePtr observe();
  double observe_number();

 private:
  void suspend(PromiseBase& task);

  PendingPtr state_;
};

}  // namespace detail

/// An operation that has started already. Each `co_await` observes its completion and gives its tile or
/// number. Awaiting an empty Pending does nothing. Dropping one without co_await or detach() is a fault when
/// the kernel ends.
template <class T>
class [[nodiscard("co_await it, keep it, or detach() it")]] Pending : public detail::AnyPending {
 public:
  using AnyPending::AnyPending;
  auto operator co_await() { return Awaiter{awaited()}; }

 private:
  class Awaiter : public detail::PendingAwaiter {
   public:
    using PendingAwaiter::PendingAwaiter;
    T await_resume() {
      if constexpr (std::is_same_v<T, double>) {
        return observe_number();
      } else if constexpr (std::is_void_v<T>) {
        observe();
      } else {
        return T{observe()};
      }
    }
  };
};

}  // namespace kbsim
