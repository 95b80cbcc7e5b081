#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace kbsim {

/// Objects that stay where they are and are freed together, in blocks of about 4 KiB. A deque's blocks have
/// 512 bytes: an object of 288 leaves nearly half unused.
template <class T>
class Storage {
 public:
  T& emplace_back() {
    if (used_ == kBlock) {
      blocks_.push_back(std::make_unique<T[]>(kBlock));
      used_ = 0;
    }
    return blocks_.back()[used_++];
  }
  /// Oldest first.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (const std::unique_ptr<T[]>& block : blocks_)
      std::for_each_n(block.get(), &block == &blocks_.back() ? used_ : kBlock, visit);
  }

 private:
  static constexpr std::size_t kBlock = std::max<std::size_t>(4080 / sizeof(T), 4);

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t used_ = kBlock;  // of the last block
};

}  // namespace kbsim
