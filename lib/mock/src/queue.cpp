#include "queue.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "pe.hpp"

namespace kbsim::mock {

void Queue::send(Sent tile) {
  sends_.push_back(std::move(tile));
  move();
}

void Queue::receive(Asked tile) {
  receives_.push_back(std::move(tile));
  move();
}

void Queue::release(std::uint64_t number) {
  let_go_[number - free_] = true;
  while (!let_go_.empty() && let_go_.front()) {
    let_go_.pop_front();
    ++free_;
  }
  move();
}

bool Queue::has_room() const {
  const std::uint64_t held = received_ - free_ + tiles_.size();
  return !slots_ || held < static_cast<std::uint64_t>(*slots_);
}

void Queue::move() {
  while (!sends_.empty() && has_room()) {
    sends_.front().pending->complete(nullptr, {});
    tiles_.push_back(std::move(sends_.front()));
    sends_.pop_front();
  }
  while (!tiles_.empty() && !receives_.empty()) {
    const Sent sent = std::move(tiles_.front());
    const Asked asked = std::move(receives_.front());
    tiles_.pop_front();
    receives_.pop_front();
    let_go_.push_back(false);
    ++received_;
    deliver(sent, asked);
  }
}

void Queue::deliver(const Sent& sent, const Asked& asked) {
  if (sent.shape == asked.shape && sent.dtype == asked.dtype && sent.tag == asked.tag) {
    return asked.pending->complete(
        std::make_shared<MockTile>(*asked.by, asked.shape, asked.dtype, sent.value, this, received_ - 1), {});
  }
  asked.pending->fail(std::make_exception_ptr(KernelFault{fmt::format(
      "{}: recv from '{}' expects {} {} with tag {}, but {} {} with tag {} was sent",
      to_string(to_place(asked.pending->at())), in_, to_string(asked.shape), to_string(asked.dtype),
      asked.tag, to_string(sent.shape), to_string(sent.dtype), sent.tag)}));
}

std::string Queue::waiting() const {
  if (sends_.empty() && receives_.empty()) return "";
  return fmt::format("{} {} to {} {}: {} send(s) and {} recv(s) wait", to_string(from_), out_, to_string(to_),
                     in_, sends_.size(), receives_.size());
}

}  // namespace kbsim::mock
