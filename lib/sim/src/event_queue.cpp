#include "kbsim/sim/detail/event_queue.hpp"

#include <algorithm>

namespace kbsim::detail {

namespace {

template <class From, class To>
void move(From& from, To& to) {
  from.for_each([&to](Link& event) {
    event.unlink();
    to.insert(static_cast<TimedEvent&>(event));
  });
}

}  // namespace

// Counting touches every event, so it is done after four times as many insertions as there may be.
void EventQueue::look_and_insert(TimedEvent& event) {
  if (dense_ == nullptr && wheel_.count() >= policy_.many) {
    dense_ = std::make_unique<DenseWheel>(wheel_.time());
    move(wheel_, *dense_);
  }
  until_look_ = dense_ != nullptr ? 1 : 4 * std::max<std::size_t>(policy_.many, 1);
  if (dense_ != nullptr) {
    dense_->insert(event);
  } else {
    wheel_.insert(event);
  }
}

void EventQueue::to_lists() {
  wheel_.restart(dense_->time());
  move(*dense_, wheel_);
  dense_.reset();
  until_look_ = policy_.many + 1;
}

}  // namespace kbsim::detail
