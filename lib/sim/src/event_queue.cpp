#include "kbsim/sim/detail/event_queue.hpp"

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

void EventQueue::look() {
  if (dense_ != nullptr || wheel_.count() < policy_.many) return;
  dense_ = std::make_unique<DenseWheel>(wheel_.time());
  move(wheel_, *dense_);
}

void EventQueue::to_lists() {
  wheel_.restart(dense_->time());
  move(*dense_, wheel_);
  dense_.reset();
}

}  // namespace kbsim::detail
