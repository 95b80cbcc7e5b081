#pragma once

#include <array>
#include <cstddef>

namespace kbsim::detail {

/// A thread's free blocks in size classes, most of them jemalloc's; the last freed is taken first. Memory of
/// coroutine frames and posted items. Every block is a heap block of its own, so another thread may free it.
/// Builds with AddressSanitizer keep no blocks, so that it sees every use after free.
class Pool {
 public:
  static void* allocate(std::size_t size) {
    if (size > kLargest) return ::operator new(size);
    Block*& head = free_[class_of(size)];
    if (head == nullptr) return refill(class_of(size));
    Block* const block = head;
    head = block->next;
    __builtin_prefetch(head, 1);  // the next block may have been free for long
    return block;
  }
  static void free(void* memory, std::size_t size) noexcept {
    if (size > kLargest) return ::operator delete(memory);
    auto* const block = static_cast<Block*>(memory);
    Block*& head = free_[class_of(size)];
    block->next = head;
    head = block;
  }

 private:
  struct Block {
    Block* next;
  };
  struct Reaper {
    ~Reaper();
  };
  static void* refill(std::size_t size_class);

  // 16, 32, 48, ... bytes. So a block of 128 bytes begins at a cache line.
  static constexpr std::size_t kClass = 16;
  static constexpr std::size_t class_of(std::size_t size) { return (size + kClass - 1) / kClass; }
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t kLargest = 0;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  static constexpr std::size_t kLargest = 0;
#else
  static constexpr std::size_t kLargest = 4096;
#endif
#else
  static constexpr std::size_t kLargest = 4096;
#endif
  static constexpr std::size_t kClasses = 4096 / kClass + 1;

  static thread_local constinit std::array<Block*, kClasses> free_;
};

inline thread_local constinit std::array<Pool::Block*, Pool::kClasses> Pool::free_{};

}  // namespace kbsim::detail
