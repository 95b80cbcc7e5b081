#include "queue.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/tl/queue_waits.hpp"

#include "pe.hpp"

namespace kbsim::mock {

void Queue::send(Sent tile) {
  sends_.push_back(std::move(tile));
  fill_slots();
  inbox_->serve();
}

void Queue::release(std::uint64_t number) {
  let_go_[number - free_] = true;
  while (!let_go_.empty() && let_go_.front()) {
    let_go_.pop_front();
    ++free_;
  }
  fill_slots();
  inbox_->serve();
}

bool Queue::has_room() const {
  const std::uint64_t held = received_ - free_ + tiles_.size();
  return !room_.slots || held < static_cast<std::uint64_t>(*room_.slots);
}

void Queue::fill_slots() {
  while (!sends_.empty() && has_room()) {
    sends_.front().pending->complete(nullptr, {});
    tiles_.push_back(std::move(sends_.front()));
    sends_.pop_front();
  }
}

void Queue::give(const Asked& asked) {
  const Sent sent = std::move(tiles_.front());
  tiles_.pop_front();
  const bool of_one_launch = is_of_one_launch(sent, asked.launch);
  ++received_;
  if (room_.fetched) {
    ++free_;
  } else {
    let_go_.push_back(false);
  }
  if (of_one_launch) {
    deliver(sent, asked);
  } else {
    asked.pending->fail(std::make_exception_ptr(left(sent, "a later launch receives it")));
  }
  fill_slots();
}

void Queue::deliver(const Sent& sent, const Asked& asked) {
  if (sent.shape == asked.shape && sent.dtype == asked.dtype && sent.tag == asked.tag) {
    auto tile = std::make_shared<MockTile>(*asked.by, asked.shape, asked.dtype, sent.value,
                                           room_.fetched ? nullptr : this, received_ - 1);
    tile->came_from({in_.direction});
    return asked.pending->complete(std::move(tile), {});
  }
  asked.pending->fail(std::make_exception_ptr(KernelFault{fmt::format(
      "{}: recv from '{}' expects {} {} with tag {}, but {} {} with tag {} was sent",
      to_string(to_place(asked.pending->at())), in_.direction, to_string(asked.shape), to_string(asked.dtype),
      asked.tag, to_string(sent.shape), to_string(sent.dtype), sent.tag)}));
}

void Inbox::add(Queue& queue) {
  queue.inbox_ = this;
  queues_.push_back(&queue);
}

void Inbox::receive(Queue* from, Asked asked) {
  (from != nullptr ? from->receives_ : any_).push_back(std::move(asked));
  serve();
}

void Inbox::serve() {
  do {
    for (Queue* queue : queues_) {
      while (give_directed(*queue)) {}
    }
  } while (give_any());
}

bool Inbox::give_directed(Queue& queue) {
  if (queue.tiles_.empty() || queue.receives_.empty()) return false;
  if (!any_.empty() && any_.front().order < queue.receives_.front().order) return false;
  const Asked asked = std::move(queue.receives_.front());
  queue.receives_.pop_front();
  queue.give(asked);
  return true;
}

bool Inbox::give_any() {
  if (any_.empty()) return false;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const std::size_t queue = (turn_ + i) % queues_.size();
    if (queues_[queue]->tiles_.empty()) continue;
    const Asked asked = std::move(any_.front());
    any_.pop_front();
    turn_ = queue + 1;
    queues_[queue]->give(asked);
    return true;
  }
  return false;
}

}  // namespace kbsim::mock
