#include "kbsim/hw/fabric/message_pool.hpp"

#include <algorithm>
#include <cstddef>

#include "kbsim/hw/fabric/fabric.hpp"

#include "shared_places.hpp"

namespace kbsim::hw {

void Recycle::operator()(Message* message) const {
  message->body.reset();
  fabric->free_messages_.push_back(message);
}

// A message, new or spare. A single process has no spare ones.
Message& MessagePool::fresh_message() {
  constexpr std::size_t kMost = 1024;
  if (shared_->fabrics.size() > 1) {
    std::vector<Message*>& spare = shared_->messages;
    const std::scoped_lock lock{shared_->spare};
    const std::size_t count = std::min(kMost, spare.size());
    free_messages_.insert(free_messages_.end(), spare.end() - static_cast<std::ptrdiff_t>(count),
                          spare.end());
    spare.resize(spare.size() - count);
  }
  if (free_messages_.empty()) return messages_.emplace_back();
  Message& one = *free_messages_.back();
  free_messages_.pop_back();
  return one;
}

void MessagePool::leave_spare_messages() {
  constexpr std::size_t kEnough = 4096;
  if (free_messages_.size() <= kEnough) [[likely]]
    return;
  const auto half = free_messages_.begin() + static_cast<std::ptrdiff_t>(free_messages_.size() / 2);
  const std::scoped_lock lock{shared_->spare};
  shared_->messages.insert(shared_->messages.end(), half, free_messages_.end());
  free_messages_.erase(half, free_messages_.end());
}

}  // namespace kbsim::hw
