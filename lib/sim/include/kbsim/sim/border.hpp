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

/// What Windows knows of a border. What stays is read by all; what its sender writes, and each of two lists
/// of posts, has cache lines of its own.
class alignas(128) AnyBorder {
 public:
  /// By number of process.
  AnyBorder(Windows& windows, std::size_t from, std::size_t to);
  AnyBorder(const AnyBorder&) = delete;
  AnyBorder& operator=(const AnyBorder&) = delete;

  [[nodiscard]] std::size_t from() const { return from_; }
  [[nodiscard]] std::size_t to() const { return to_; }
  /// Of its posts, instead of that of all borders. UsageError unless it is positive.
  void set_lookahead(Time lookahead);
  [[nodiscard]] Time lookahead() const { return lookahead_; }
  /// Gives the receiver what was posted in the last window; by the receiver's thread.
  virtual void deliver() = 0;

 protected:
  ~AnyBorder() = default;
  /// Notes a post for that time. InternalError if it comes before the lookahead.
  void note(Time at);
  /// Of the present window, and of the last one: the sender's and the receiver's.
  [[nodiscard]] std::size_t present() const { return parity_; }
  [[nodiscard]] std::size_t last() const { return 1 - parity_; }

 private:
  friend class kbsim::Windows;

  const std::size_t& parity_;
  WindowProcess& sender_;
  std::size_t from_;
  std::size_t to_;
  Time lookahead_{};
  alignas(128) Time first_ = kForever;  // of what was posted in the present window
};

}  // namespace detail

/// One process of Windows tells another something: posted at any time of a window, for the lookahead later or
/// more; there when the next window begins, in the order of posts. Never waits; allocates nothing in steady
/// state.
template <class T>
class Border : public detail::AnyBorder {
 public:
  using AnyBorder::AnyBorder;

  /// By the sender.
  void post(Time at, T item) {
    note(at);
    posted_[present()].items.push_back(std::move(item));
  }

 protected:
  ~Border() = default;

 private:
  /// Where the receiver is: its time is before the window's.
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
