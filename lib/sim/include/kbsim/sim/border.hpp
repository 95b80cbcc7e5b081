#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim {

class Windows;

namespace detail {

/// What Windows knows of a border.
class AnyBorder {
 public:
  /// By number of process.
  AnyBorder(Windows& windows, std::size_t from, std::size_t to);
  AnyBorder(const AnyBorder&) = delete;
  AnyBorder& operator=(const AnyBorder&) = delete;

  [[nodiscard]] std::size_t from() const { return from_; }
  [[nodiscard]] std::size_t to() const { return to_; }
  /// Gives the receiver what was posted in the last window; by the receiver's thread.
  virtual void deliver() = 0;
  /// The earliest of what was posted in the present window; kForever if nothing was.
  [[nodiscard]] Time first() const { return first_; }

 protected:
  ~AnyBorder() = default;
  /// Notes a post for that time. InternalError if it is for the present window.
  void note(Time at);
  /// Of the present window, and of the last one: the sender's and the receiver's.
  [[nodiscard]] std::size_t present() const { return present_; }
  [[nodiscard]] std::size_t last() const { return 1 - present_; }

 private:
  friend class kbsim::Windows;
  void begin_window() { present_ = 1 - present_, first_ = kForever; }

  const Windows& windows_;
  std::size_t from_;
  std::size_t to_;
  Time first_ = kForever;
  std::size_t present_ = 0;
};

}  // namespace detail

/// One process of Windows tells another something: posted at any time of a window, for the next or later;
/// there when the next window begins, in the order of posts. Never waits; allocates nothing in steady state.
template <class T>
class Border : public detail::AnyBorder {
 public:
  using AnyBorder::AnyBorder;

  /// By the sender.
  void post(Time at, T item) {
    note(at);
    posted_[present()].push_back(item);
  }

 protected:
  ~Border() = default;

 private:
  /// Where the receiver is: its time is before the window's.
  virtual void arrives(T& item) = 0;
  void deliver() final {
    std::vector<T>& items = posted_[last()];
    for (T& item : items) arrives(item);
    items.clear();
  }

  std::array<std::vector<T>, 2> posted_;
};

}  // namespace kbsim
