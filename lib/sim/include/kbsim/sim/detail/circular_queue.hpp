#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace kbsim::detail {

/// A FIFO in one block of a power of two places, which doubles when it is full.
template <class T>
class CircularQueue {
 public:
  CircularQueue() = default;
  CircularQueue(const CircularQueue&) = delete;
  CircularQueue& operator=(const CircularQueue&) = delete;
  ~CircularQueue() {
    while (!empty()) std::destroy_at(&front()), ++head_;
    std::allocator<T>{}.deallocate(places_, mask_ + 1);
  }

  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }

  void push_back(T&& value) {
    if (size() > mask_) grow();
    std::construct_at(places_ + (tail_ & mask_), std::move(value));
    ++tail_;
  }
  T pop_front() {
    T& first = front();
    T value = std::move(first);
    std::destroy_at(&first);
    ++head_;
    return value;
  }

 private:
  T& front() { return places_[head_ & mask_]; }
  void grow() {
    const std::size_t more = 2 * (mask_ + 1);
    T* const places = std::allocator<T>{}.allocate(more);
    for (std::size_t i = head_; i != tail_; ++i) {
      std::construct_at(places + (i & (more - 1)), std::move(places_[i & mask_]));
      std::destroy_at(places_ + (i & mask_));
    }
    std::allocator<T>{}.deallocate(std::exchange(places_, places), mask_ + 1);
    mask_ = more - 1;
  }

  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::size_t mask_ = 3;
  T* places_ = std::allocator<T>{}.allocate(4);
};

}  // namespace kbsim::detail
