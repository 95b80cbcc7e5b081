#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace kbsim::detail {

/// A FIFO in one block of a power of two places, which doubles when it is full. The first four small items
/// stand in the queue itself.
template <class T>
class CircularQueue {
 public:
  CircularQueue() = default;
  CircularQueue(const CircularQueue&) = delete;
  CircularQueue& operator=(const CircularQueue&) = delete;
  ~CircularQueue() {
    while (!empty()) std::destroy_at(&front()), ++head_;
    free();
  }

  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }

  void push_back(T&& value) {
    if (size() == room()) [[unlikely]]
      grow();
    std::construct_at(&at(tail_), std::move(value));
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
  static constexpr std::uint32_t kFew = 4;
  static constexpr std::uint32_t kInside = sizeof(T) <= 16 ? kFew : 0;

  [[nodiscard]] std::uint32_t room() const { return mask_ + 1; }
  [[nodiscard]] T* inside() { return reinterpret_cast<T*>(inside_.data()); }
  T& at(std::uint32_t i) { return places_[i & mask_]; }
  T& front() { return at(head_); }
  void free() {
    if (room() > kInside) std::allocator<T>{}.deallocate(places_, room());
  }
  [[gnu::noinline]] void grow() {
    const std::uint32_t more = room() == 0 ? kFew : 2 * room();
    T* const bigger = std::allocator<T>{}.allocate(more);
    std::uint32_t i = head_;
    try {
      for (; i != tail_; ++i) std::construct_at(bigger + (i & (more - 1)), std::move_if_noexcept(at(i)));
    } catch (...) {
      while (i != head_) std::destroy_at(bigger + (--i & (more - 1)));
      std::allocator<T>{}.deallocate(bigger, more);
      throw;
    }
    for (i = head_; i != tail_; ++i) std::destroy_at(&at(i));
    free();
    places_ = bigger;
    mask_ = more - 1;
  }

  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t mask_ = kInside - 1;  // capacity - 1; the capacity may be 0
  T* places_ = inside();
  alignas(T) std::array<std::byte, kInside * sizeof(T)> inside_;
};

}  // namespace kbsim::detail
