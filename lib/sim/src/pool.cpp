#include "kbsim/sim/detail/pool.hpp"

#include <new>
#include <thread>

namespace kbsim::detail {

namespace {

const std::thread::id main_thread = std::this_thread::get_id();

}  // namespace

/// Frees the blocks when the thread ends, but for the main thread's: the program ends with it.
Pool::Reaper::~Reaper() {
  if (std::this_thread::get_id() == main_thread) return;
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
  return ::operator new(size_class * kClass);
}

}  // namespace kbsim::detail
