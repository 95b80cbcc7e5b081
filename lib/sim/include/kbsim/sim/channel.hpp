#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/circular_queue.hpp"
#include "kbsim/sim/detail/named_wait.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// A FIFO of at most `capacity` items between processes, without delay; capacity 0 is a rendezvous.
/// send() waits while it is full, receive() while it is empty; both are served in the order of their
/// waits, by direct hand-off, and resume at the present time. An item handed to a waiting receiver is
/// the receiver's, even if that is cancelled before it resumes.
template <class T>
class Channel {
 public:
  class Send;
  class Receive;

  Channel(Simulation& sim, std::string name, std::size_t capacity)
      : scheduler_{sim.scheduler()}, capacity_{capacity}, name_{std::move(name)} {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] Send send(T value, const std::source_location& at = std::source_location::current()) {
    return Send{*this, std::move(value), at};
  }
  [[nodiscard]] Receive receive(const std::source_location& at = std::source_location::current()) {
    return Receive{*this, at};
  }
  /// False, and `value` is left alone, if send() would wait.
  [[nodiscard]] bool try_send(T& value) {
    if (!waiting_.empty() && !are_senders_) return hand_over(std::move(value)), true;
    if (items_.size() >= capacity_) return false;
    items_.push_back(std::move(value));
    return true;
  }
  [[nodiscard]] bool try_send(T&& value) { return try_send(value); }
  /// Nothing if receive() would wait.
  [[nodiscard]] std::optional<T> try_receive() {
    if (!waiting_.empty() && are_senders_) return take_and_refill();
    if (items_.empty()) return std::nullopt;
    return items_.pop_front();
  }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void wait(detail::PromiseBase& waiter, bool is_sender) {
    are_senders_ = is_sender;
    waiting_.push_back(waiter);
  }
  void hand_over(T&& value);
  T take_and_refill();

  // What each call touches comes first, and stands together.
  detail::Scheduler& scheduler_;
  detail::List waiting_;  // senders while it is full, or receivers while it is empty
  std::size_t capacity_;
  bool are_senders_ = false;
  detail::CircularQueue<T> items_;
  std::string name_;
};

template <class T>
class [[nodiscard]] Channel<T>::Send final : public detail::NamedWait {
 public:
  Send(Channel& channel, T&& value, const std::source_location& at)
      : NamedWait{at}, channel_{channel}, value_{std::move(value)} {}

  bool await_ready() { return channel_.try_send(value_); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise(), channel_.scheduler_.now());
    channel_.wait(waiter.promise(), true);
  }
  static void await_resume() noexcept {}

 private:
  friend class Channel;
  [[nodiscard]] const char* kind() const override { return "send on channel"; }
  [[nodiscard]] std::string name() const override { return channel_.name_; }
  Channel& channel_;
  T value_;
};

template <class T>
class [[nodiscard]] Channel<T>::Receive final : public detail::NamedWait {
 public:
  Receive(Channel& channel, const std::source_location& at) : NamedWait{at}, channel_{channel} {}

  bool await_ready() {
    value_ = channel_.try_receive();
    return value_.has_value();
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise(), channel_.scheduler_.now());
    channel_.wait(waiter.promise(), false);
  }
  T await_resume() { return std::move(*value_); }

 private:
  friend class Channel;
  [[nodiscard]] const char* kind() const override { return "receive on channel"; }
  [[nodiscard]] std::string name() const override { return channel_.name_; }
  Channel& channel_;
  std::optional<T> value_;
};

template <class T>
void Channel<T>::hand_over(T&& value) {
  auto& receiver = static_cast<detail::PromiseBase&>(waiting_.pop_front());
  static_cast<Receive*>(receiver.wait)->value_.emplace(std::move(value));
  scheduler_.ready(receiver);
}

template <class T>
T Channel<T>::take_and_refill() {
  auto& sender = static_cast<detail::PromiseBase&>(waiting_.pop_front());
  scheduler_.ready(sender);
  items_.push_back(std::move(static_cast<Send*>(sender.wait)->value_));
  return items_.pop_front();
}

}  // namespace kbsim
