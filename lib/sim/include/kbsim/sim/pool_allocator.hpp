#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "kbsim/sim/detail/pool.hpp"

namespace kbsim {

/// An allocator whose blocks are reused by the thread that gave them back, without malloc. For objects that
/// commands make and destroy while a simulation runs.
template <class T>
class PoolAllocator {
 public:
  using value_type = T;

  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    return static_cast<T*>(detail::Pool::allocate(n * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t n) noexcept { detail::Pool::free(memory, n * sizeof(T)); }

  friend bool operator==(const PoolAllocator&, const PoolAllocator&) { return true; }
};

template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;
template <class T>
using PoolDeque = std::deque<T, PoolAllocator<T>>;

/// std::make_shared in memory of the pool.
template <class T, class... Args>
[[nodiscard]] std::shared_ptr<T> make_pooled(Args&&... args) {
  return std::allocate_shared<T>(PoolAllocator<T>{}, std::forward<Args>(args)...);
}

}  // namespace kbsim
