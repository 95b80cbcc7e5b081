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
      : scheduler_{sim.scheduler()}, name_{std::move(name)}, capacity_{capacity} {}
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
    if (receivers_.empty() && items_.size() >= capacity_) return false;
    put(std::move(value));
    return true;
  }
  [[nodiscard]] bool try_send(T&& value) { return try_send(value); }
  /// Nothing if receive() would wait.
  [[nodiscard]] std::optional<T> try_receive() {
    if (items_.empty() && senders_.empty()) return std::nullopt;
    return take();
  }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void put(T&& value);
  T take();

  detail::Scheduler& scheduler_;
  std::string name_;
  std::size_t capacity_;
  detail::CircularQueue<T> items_;
  detail::List senders_;    // only while it is full
  detail::List receivers_;  // only while it is empty
};

template <class T>
class [[nodiscard]] Channel<T>::Send final : public detail::NamedWait {
 public:
  Send(Channel& channel, T&& value, const std::source_location& at)
      : NamedWait{"send on channel", channel.name_, at}, channel_{channel}, value_{std::move(value)} {}

  bool await_ready() { return channel_.try_send(value_); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise(), channel_.scheduler_.now());
    channel_.senders_.push_back(waiter.promise());
  }
  static void await_resume() noexcept {}

 private:
  friend class Channel;
  Channel& channel_;
  T value_;
};

template <class T>
class [[nodiscard]] Channel<T>::Receive final : public detail::NamedWait {
 public:
  Receive(Channel& channel, const std::source_location& at)
      : NamedWait{"receive on channel", channel.name_, at}, channel_{channel} {}

  bool await_ready() {
    value_ = channel_.try_receive();
    return value_.has_value();
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise(), channel_.scheduler_.now());
    channel_.receivers_.push_back(waiter.promise());
  }
  T await_resume() { return std::move(*value_); }

 private:
  friend class Channel;
  Channel& channel_;
  std::optional<T> value_;
};

template <class T>
void Channel<T>::put(T&& value) {
  if (receivers_.empty()) return items_.push_back(std::move(value));
  auto& receiver = static_cast<detail::PromiseBase&>(receivers_.pop_front());
  static_cast<Receive*>(receiver.wait)->value_.emplace(std::move(value));
  scheduler_.ready(receiver);
}

template <class T>
T Channel<T>::take() {
  if (senders_.empty()) return items_.pop_front();
  auto& sender = static_cast<detail::PromiseBase&>(senders_.pop_front());
  scheduler_.ready(sender);
  items_.push_back(std::move(static_cast<Send*>(sender.wait)->value_));
  return items_.pop_front();
}

}  // namespace kbsim
