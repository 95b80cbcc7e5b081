#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "kbsim/sim/detail/circular_queue.hpp"
#include "kbsim/sim/detail/wait.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// A FIFO of at most `capacity` items between processes, without delay; capacity 0 is a rendezvous.
/// send() waits while it is full, receive() while it is empty; both are served in the order of their
/// waits, by direct hand-off, and resume at the present time. An item handed to a waiting receiver is
/// the receiver's, even if that is cancelled before it resumes.
template <class T>
class Channel {
 public:
  struct Send;
  struct Receive;

  Channel(Simulation& sim, std::string name, std::size_t capacity)
      : scheduler_{sim.scheduler()}, capacity_{capacity}, name_{std::move(name)} {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] Send send(T value, std::source_location at = std::source_location::current()) {
    return {.channel = *this, .value = std::move(value), .at = at};
  }
  [[nodiscard]] Receive receive(std::source_location at = std::source_location::current()) {
    return {.channel = *this, .at = at};
  }
  /// False, and `value` is left alone, if send() would wait.
  [[nodiscard, gnu::always_inline]] bool try_send(T& value) {
    if (!waiting_.empty() && !are_senders_) return hand_over(std::move(value)), true;
    if (items_.size() >= capacity_) return false;
    items_.push_back(std::move(value));
    return true;
  }
  [[nodiscard]] bool try_send(T&& value) { return try_send(value); }
  /// Nothing if receive() would wait.
  [[nodiscard]] std::optional<T> try_receive() {
    if (gives_nothing()) return std::nullopt;
    return take();
  }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  class Sent;
  class Received;
  [[nodiscard]] bool gives_nothing() const { return items_.empty() && (!are_senders_ || waiting_.empty()); }
  [[gnu::always_inline]] T take() {
    if (are_senders_ && !waiting_.empty()) return take_and_refill();
    return items_.pop_front();
  }
  void wait(detail::PromiseBase& waiter, bool is_sender) {
    are_senders_ = is_sender;
    waiting_.push_back(waiter);
  }
  [[gnu::always_inline]] void hand_over(T&& value);
  [[gnu::noinline]] T take_and_refill();

  // Members that each call touches stand together, at the front.
  detail::Scheduler& scheduler_;
  detail::List waiting_;  // senders while it is full, or receivers while it is empty
  std::size_t capacity_;
  bool are_senders_ = false;
  detail::CircularQueue<T> items_;
  std::string name_;
};

template <class T>
struct [[nodiscard]] Channel<T>::Send {
  Channel& channel;
  T value;
  std::source_location at;
  [[nodiscard, gnu::always_inline]] Sent suspend(detail::PromiseBase& task) {
    return {channel, std::move(value), task, at};
  }
};

template <class T>
struct [[nodiscard]] Channel<T>::Receive {
  Channel& channel;
  std::source_location at;
  [[nodiscard, gnu::always_inline]] Received suspend(detail::PromiseBase& task) const {
    return {channel, task, at};
  }
};

// A value that waits until a receiver takes it, unless it was sent at once.
template <class T>
class Channel<T>::Sent {
 public:
  [[gnu::always_inline]] Sent(Channel& channel, T&& value, detail::PromiseBase& task,
                              const std::source_location& at) {
    if (channel.try_send(value)) {
      channel_ = nullptr;
    } else {
      std::construct_at(&value_, std::move(value));
      wait(channel, task, at);
    }
  }
  Sent(const Sent&) = delete;
  Sent& operator=(const Sent&) = delete;
  ~Sent()
    requires std::is_trivially_destructible_v<T>
  = default;
  ~Sent() {
    if (channel_ != nullptr) std::destroy_at(&value_);
  }

  [[nodiscard]] bool await_ready() const noexcept { return channel_ == nullptr; }
  static void await_suspend(std::coroutine_handle<>) noexcept {}
  static void await_resume() noexcept {}

 private:
  friend class Channel;
  static std::string what(const detail::WaitKind& kind, const void* of, const detail::TimedEvent& waiter) {
    return detail::name_of<Channel>(kind, static_cast<const Sent*>(of)->channel_, waiter);
  }
  static constexpr detail::WaitKind kSend{.text = "send on channel", .what = &what, .in_list = true};
  [[gnu::noinline]] void wait(Channel& channel, detail::PromiseBase& task, std::source_location at) {
    channel_ = &channel;
    task.waits(kSend, this, at, channel.scheduler_.now());
    channel.wait(task, true);
  }
  Channel* channel_;  // null: the value was sent
  union {
    T value_;
  };
};

// A place for a value that a sender hands over. If the channel has a value, that is taken instead.
template <class T>
class Channel<T>::Received {
 public:
  [[gnu::always_inline]] Received(Channel& channel, detail::PromiseBase& task, const std::source_location& at)
      : channel_{&channel} {
    if (!channel.gives_nothing()) return;
    task.waits(kReceive, this, at, channel.scheduler_.now());
    channel.wait(task, false);
  }
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;
  ~Received()
    requires std::is_trivially_destructible_v<T>
  = default;
  ~Received() {
    if (is_handed_over()) std::destroy_at(&value_);
  }

  [[nodiscard]] bool await_ready() const { return !channel_->gives_nothing(); }
  static void await_suspend(std::coroutine_handle<>) noexcept {}
  T await_resume() {
    if (is_handed_over()) return std::move(value_);
    return channel_->take();
  }

 private:
  friend class Channel;
  static std::string what(const detail::WaitKind& kind, const void* of, const detail::TimedEvent& waiter) {
    const auto& received = *static_cast<const Received*>(of);
    if (received.is_handed_over()) return std::string{kind.text} + " (it has its item)";
    return detail::name_of<Channel>(kind, received.channel_, waiter);
  }
  static constexpr detail::WaitKind kReceive{.text = "receive on channel", .what = &what};
  [[gnu::always_inline]] void hand_over(T&& value) {
    std::construct_at(&value_, std::move(value));
    channel_ = nullptr;
  }
  [[nodiscard]] bool is_handed_over() const { return channel_ == nullptr; }
  Channel* channel_;  // null: the value was handed over; the channel may be gone
  union {
    T value_;
  };
};

template <class T>
void Channel<T>::hand_over(T&& value) {
  auto& receiver = static_cast<detail::PromiseBase&>(waiting_.front());
  static_cast<Received*>(receiver.wait.of)->hand_over(std::move(value));  // if this throws, it still waits
  waiting_.pop_front();
  scheduler_.ready(receiver);
}

template <class T>
T Channel<T>::take_and_refill() {
  auto& sender = static_cast<detail::PromiseBase&>(waiting_.front());
  items_.push_back(std::move(static_cast<Sent*>(sender.wait.of)->value_));  // if this throws, it still waits
  waiting_.pop_front();
  scheduler_.ready(sender);
  return items_.pop_front();
}

}  // namespace kbsim
