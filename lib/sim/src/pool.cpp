#include "kbsim/sim/detail/pool.hpp"

#include <new>

namespace kbsim::detail {

/// Gives the free blocks back when the thread ends.
Pool::Reaper::~Reaper() {
  for (Block*& head : free_) {
    while (head != nullptr) {
      Block* const block = head;
      head = block->next;
      ::operator delete(block);
    }
  }
}

void* Pool::refill(std::size_t size_class) {
  thread_local const Reaper reaper;
  return ::operator new(size_class * kClass + kHeader);
}

}  // namespace kbsim::detail
