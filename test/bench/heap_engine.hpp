#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kbsim::bench {

/// The yardstick: callbacks in a 4-ary heap ordered by (time, sequence), nothing else.
class HeapEngine {
 public:
  using Callback = void (*)(void*);

  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] std::uint64_t events() const { return sequence_ - heap_.size(); }
  void at(std::int64_t when, Callback callback, void* argument) {
    heap_.push_back({when, sequence_++, callback, argument});
    std::size_t i = heap_.size() - 1;
    const Entry entry = heap_[i];
    for (; i > 0 && entry < heap_[(i - 1) / 4]; i = (i - 1) / 4) heap_[i] = heap_[(i - 1) / 4];
    heap_[i] = entry;
  }
  void run() {
    while (!heap_.empty()) {
      const Entry first = pop();
      now_ = first.when;
      first.callback(first.argument);
    }
  }

 private:
  struct Entry {
    std::int64_t when;
    std::uint64_t sequence;
    Callback callback;
    void* argument;
    bool operator<(const Entry& other) const {
      return when != other.when ? when < other.when : sequence < other.sequence;
    }
  };

  Entry pop() {
    const Entry first = heap_.front();
    const Entry last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return first;
    std::size_t i = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 4 * i + 1) {
      const std::size_t end = std::min(child + 4, heap_.size());
      std::size_t least = child;
      for (std::size_t c = child + 1; c < end; ++c) {
        if (heap_[c] < heap_[least]) least = c;
      }
      if (!(heap_[least] < last)) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = last;
    return first;
  }

  std::int64_t now_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace kbsim::bench
