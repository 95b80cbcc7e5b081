#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "kbsim/sim/detail/pool.hpp"

namespace kbsim {

/// A queue with two open ends, in one block of the thread's pool. After its first item, an empty queue keeps
/// a block of one item. A larger block is freed with its last item, and the next one is as large.
template <class T>
class PoolQueue {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

 public:
  using Place = T*;

  PoolQueue() = default;
  PoolQueue(PoolQueue&& other) noexcept
      : first_{std::exchange(other.first_, nullptr)},
        last_{std::exchange(other.last_, nullptr)},
        left_{std::exchange(other.left_, 0)},
        room_{std::exchange(other.room_, kFew)} {}
  PoolQueue& operator=(PoolQueue&&) = delete;
  ~PoolQueue() {
    std::destroy(first_, last_);
    if (first_ != nullptr) detail::Pool::free(block(), room_ * sizeof(T));
  }

  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }
  [[nodiscard]] T& front() { return *first_; }
  [[nodiscard]] const T& front() const { return *first_; }
  [[nodiscard]] T& back() { return last_[-1]; }
  [[nodiscard]] T& operator[](std::size_t i) { return first_[i]; }
  [[nodiscard]] Place begin() { return first_; }
  [[nodiscard]] Place end() { return last_; }
  [[nodiscard]] const T* begin() const { return first_; }
  [[nodiscard]] const T* end() const { return last_; }

  void push_back(const T& item)
    requires std::is_trivially_copyable_v<T>
  {
    append(item);
  }
  void push_back(T&& item)
    requires(!std::is_trivially_copyable_v<T>)
  {
    append(std::move(item));
  }
  void insert(Place at, const T& item)
    requires std::is_trivially_copyable_v<T>
  {
    const std::ptrdiff_t place = at - first_;
    if (left_ == 0) make_room();
    std::move_backward(first_ + place, last_, last_ + 1);
    first_[place] = item;
    ++last_;
    --left_;
  }
  /// Appends new items until there are `count`; removes none.
  void grow_to(std::size_t count) {
    while (size() < count) append(T{});
  }
  void pop_front() {
    std::destroy_at(first_);
    if (++first_ == last_) reset();
  }
  void pop_back() {
    ++left_;
    std::destroy_at(--last_);
    if (last_ == first_) reset();
  }
  void clear() {
    std::destroy(first_, last_);
    first_ = last_;
    if (first_ != nullptr) reset();
  }
  template <class Which>
  void erase_if(Which which) {
    if (empty()) return;
    T* const end = std::remove_if(first_, last_, which);
    std::destroy(end, last_);
    left_ += static_cast<std::uint32_t>(last_ - end);
    last_ = end;
    if (empty()) reset();
  }

 private:
  static constexpr std::uint32_t kFew = 1;
  static constexpr std::uint32_t kMore = 4;

  template <class Item>
  void append(Item&& item) {
    if (left_ == 0) [[unlikely]]
      make_room();
    std::construct_at(last_, std::forward<Item>(item));
    ++last_;
    --left_;
  }
  [[nodiscard]] T* block() const { return last_ + left_ - room_; }
  // The queue is empty.
  void reset() {
    if (room_ > kFew) return give_back();
    first_ = last_ = block();
    left_ = room_;
  }
  [[gnu::noinline]] void give_back() {
    const bool few = room_ - left_ <= kFew;
    detail::Pool::free(block(), room_ * sizeof(T));
    first_ = last_ = nullptr;
    left_ = 0;
    if (few) room_ = kFew;
  }
  // If at least half of the block is free at the front, the items move there.
  [[gnu::noinline]] void make_room() {
    if (first_ == nullptr) return take(room_);
    const auto items = static_cast<std::uint32_t>(last_ - first_);
    T* const from = first_;
    T* const before = block();
    const std::uint32_t room = room_;
    if (2 * items > room) {
      take(std::max(2 * room, kMore));
      std::uninitialized_move(from, from + items, first_);
      std::destroy(from, from + items);
      detail::Pool::free(before, room * sizeof(T));
    } else {
      std::uninitialized_move(from, from + items, before);  // they don't overlap
      std::destroy(from, from + items);
      first_ = before;
    }
    last_ = first_ + items;
    left_ = room_ - items;
  }
  void take(std::uint32_t room) {
    first_ = last_ = static_cast<T*>(detail::Pool::allocate(room * sizeof(T)));
    left_ = room_ = room;
  }

  T* first_ = nullptr;         // null: there is no block
  T* last_ = nullptr;          // end of the items
  std::uint32_t left_ = 0;     // free places after last_
  std::uint32_t room_ = kFew;  // places of the block, or of the next if there is none
};

}  // namespace kbsim
