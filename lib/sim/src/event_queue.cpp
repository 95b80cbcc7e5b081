#include "kbsim/sim/detail/event_queue.hpp"

#include "kbsim/sim/detail/dense_wheel.hpp"

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

EventQueue::EventQueue(const Policy& policy) : policy_{policy} {}
EventQueue::~EventQueue() = default;

void EventQueue::insert_dense(TimedEvent& event) { dense_->insert(event); }

TimedEvent* EventQueue::take_dense(List& same) {
  TimedEvent* const first = dense_->take(same);
  if (dense_->count() < policy_.few) to_lists();
  return first;
}

TimedEvent* EventQueue::take_dense_before(Time end, List& same) {
  TimedEvent* const first = dense_->take_before(end, same);
  if (dense_->count() < policy_.few) to_lists();
  return first;
}

Time EventQueue::next() { return dense_ != nullptr ? dense_->next() : wheel_.next(); }
Time EventQueue::time() const { return dense_ != nullptr ? dense_->time() : wheel_.time(); }

void EventQueue::for_each(const EventVisitor& visit) const {
  if (dense_ != nullptr) return dense_->for_each(visit);
  wheel_.for_each(visit);
}

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
