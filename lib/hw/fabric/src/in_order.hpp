#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kbsim/sim/detail/pool.hpp"

namespace kbsim::hw {

/// Items of a link in the order in which it serves them: by time, those of one time by port. Taken at the
/// front when their time is past, at the back when somebody comes before them. They stand in one block, of
/// which a link keeps a small one when it has none of them, and a large one only while it has some.
template <class T>
class InOrder {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);

 public:
  using Place = T*;

  InOrder() = default;
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;
  ~InOrder() { give_back(); }

  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] T& front() { return *first_; }
  [[nodiscard]] T& back() { return last_[-1]; }
  [[nodiscard]] Place begin() { return first_; }
  [[nodiscard]] Place end() { return last_; }
  void insert(Place at, const T& item) {
    const std::ptrdiff_t place = at - first_;
    if (left_ == 0) make_room();
    std::move_backward(first_ + place, last_, last_ + 1);
    first_[place] = item;
    ++last_;
    --left_;
  }
  void push_back(const T& item) {
    if (left_ == 0) [[unlikely]]
      make_room();
    *last_++ = item;
    --left_;
  }
  void pop_front() {
    if (++first_ == last_) clear();
  }
  void pop_back() {
    ++left_;
    if (--last_ == first_) clear();
  }

 private:
  static constexpr std::uint32_t kFew = 2;
  static constexpr std::uint32_t kMore = 4;

  [[nodiscard]] T* block() const { return last_ + left_ - room_; }
  void clear() {
    if (room_ > kFew) return give_back();
    first_ = last_ = block();
    left_ = room_;
  }
  [[gnu::noinline]] void give_back() {
    if (first_ == nullptr) return;
    const bool few = room_ - left_ <= kFew;
    kbsim::detail::Pool::free(block(), room_ * sizeof(T));
    first_ = last_ = nullptr;
    left_ = 0;
    if (few) room_ = kFew;
  }
  // Where half of them have gone at the front there is some.
  [[gnu::noinline]] void make_room() {
    if (first_ == nullptr) return take(room_);
    const auto items = static_cast<std::uint32_t>(last_ - first_);
    T* const from = first_;
    T* const before = block();
    const std::uint32_t room = room_;
    if (2 * items > room)
      take(std::max(2 * room, kMore));
    else
      first_ = before;
    std::memmove(first_, from, items * sizeof(T));
    last_ = first_ + items;
    left_ = room_ - items;
    if (first_ != before) kbsim::detail::Pool::free(before, room * sizeof(T));
  }
  void take(std::uint32_t room) {
    first_ = last_ = static_cast<T*>(kbsim::detail::Pool::allocate(room * sizeof(T)));
    left_ = room_ = room;
  }

  T* first_ = nullptr;         // none: there is no block
  T* last_ = nullptr;          // behind it
  std::uint32_t left_ = 0;     // places behind that
  std::uint32_t room_ = kFew;  // places of the block; while there is none, of the next
};

}  // namespace kbsim::hw
