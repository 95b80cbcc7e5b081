#include "queue.hpp"

#include "kbsim/mock/pe.hpp"

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
  return settings_.slots == 0 || held < static_cast<std::uint64_t>(settings_.slots);
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
  if (fetched_) {
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
  if (sent.item == asked.item) {
    auto tile = std::make_shared<MockTile>(*asked.by, asked.item.shape, asked.item.dtype, sent.value,
                                           fetched_ ? nullptr : this, received_ - 1);
    tile->came_from(label_);
    return asked.pending->complete(std::move(tile), {});
  }
  asked.pending->fail(
      std::make_exception_ptr(mismatch(asked.pending->at(), in_.direction, asked.item, sent.item)));
}

std::int64_t Queue::receives() const {
  return static_cast<std::int64_t>(inbox_->receives().of(place_).size());
}

void Inbox::add(Queue& queue) {
  queue.inbox_ = this;
  queue.place_ = queues_.size();
  queues_.push_back(&queue);
  receives_.resize(turns_.last = queues_.size());
}

void Inbox::receive(Queue* from, Asked asked) {
  receives_.add(from != nullptr ? std::optional{from->place_} : std::nullopt, std::move(asked));
  serve();
}

void Inbox::serve() {
  const auto ready = [this](std::size_t queue, const Asked&) { return !queues_[queue]->tiles_.empty(); };
  receives_.match(turns_, ready, [this](std::size_t queue, const Asked& to) { queues_[queue]->give(to); });
}

}  // namespace kbsim::mock
