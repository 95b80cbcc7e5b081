#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim {

class Windows;

namespace detail {

struct WindowProcess;

/// Data that Windows keeps of a border. Constant members are read by all. The sender's data and each of the
/// two lists of posts have cache lines of their own.
class alignas(128) AnyBorder {
 public:
  /// `from` and `to` are numbers of processes.
  AnyBorder(Windows& windows, std::size_t from, std::size_t to);
  AnyBorder(const AnyBorder&) = delete;
  AnyBorder& operator=(const AnyBorder&) = delete;

  [[nodiscard]] std::size_t from() const { return from_; }
  [[nodiscard]] std::size_t to() const { return to_; }
  /// The lookahead of this border's posts, instead of that of all borders. UsageError unless it is positive.
  void set_lookahead(Time lookahead);
  [[nodiscard]] Time lookahead() const { return lookahead_; }
  /// Gives the receiver what was posted in the last window; by the receiver's thread.
  virtual void deliver() = 0;
  /// The earliest post of the present window, by the sender's thread; kForever if there is none.
  [[nodiscard]] Time first_post() const { return first_; }
  /// The same; the next post is the first of another window.
  [[nodiscard]] Time take_first_post() { return std::exchange(first_, kForever); }

 protected:
  ~AnyBorder() = default;
  /// Notes a post that arrives at `at`. InternalError if that is less than the lookahead away.
  void note(Time at);
  /// Indices of the lists of the present window, which the sender writes, and of the last one, which the
  /// receiver reads.
  [[nodiscard]] std::size_t present() const { return parity_; }
  [[nodiscard]] std::size_t last() const { return 1 - parity_; }

 private:
  const std::size_t& parity_;
  WindowProcess& sender_;
  std::size_t from_;
  std::size_t to_;
  Time lookahead_{};
  alignas(128) Time first_ = kForever;  // of the posts in the present window
};

}  // namespace detail

/// A channel from one process of Windows to another. A post arrives at least the lookahead later; the
/// receiver gets it when the next window begins, in the order of posts. Never waits; allocates nothing in
/// steady state.
template <class T>
class Border : public detail::AnyBorder {
 public:
  using AnyBorder::AnyBorder;

  /// Called by the sender.
  void post(Time at, T item) {
    note(at);
    posted_[present()].items.push_back(std::move(item));
  }

 protected:
  ~Border() = default;

 private:
  /// Called in the receiver, whose time is before the window's.
  virtual void arrives(T& item) = 0;
  void deliver() final {
    std::vector<T>& items = posted_[last()].items;
    for (T& item : items) arrives(item);
    items.clear();
  }

  struct alignas(128) Posted {
    std::vector<T> items;
  };
  std::array<Posted, 2> posted_;
};

}  // namespace kbsim
