#include "kbsim/hw/memory/memory_times.hpp"

#include "kbsim/sim/server_orders.hpp"

namespace kbsim::hw {

CausedTimes::CausedTimes(Causes& causes, NodeId memory)
    : causes_{&causes}, memory_{memory}, shared_{std::make_shared<Shared>(causes.current())} {}

Why CausedTimes::why(Delay delay) const { return hw::why(delay.reason, memory_, Bytes{delay.amount}); }

CausedTimes::At CausedTimes::follow(const At& from, Time at, At::Kind kind, Delay delay) const {
  At made{at, cause(from)};
  if (!made.from_) return made;
  made.kind_ = kind;
  made.why_ = why(delay);
  return made;
}

CausedTimes::At CausedTimes::after(const At& from, Time length, Delay why) const {
  return length == Time{0} ? from : follow(from, from.at_ + length, At::Kind::after, why);
}

CausedTimes::At CausedTimes::back(const At& from, Time length, Delay why) const {
  return length == Time{0} ? from : follow(from, from.at_ - length, At::Kind::back, why);
}

CausedTimes::At CausedTimes::waits(const At& ready, const At& until, Delay why) const {
  const Cause exactly = cause(until);
  if (until.at_ <= ready.at_ || !exactly) return until;
  At step = follow(ready, until.at_, At::Kind::step, why);
  step.exactly_ = exactly;
  return step;
}

// A time that is on an edge already is the result only while it isn't later.
CausedTimes::At CausedTimes::edge(const At& at, Time step, Delay (*steps)(std::int64_t)) const {
  if (step == Time{0}) return at;
  const Time then = PlainTimes::edge(at.at_, step, steps);
  const Delay wait{.reason = Reason::clock_edge, .amount = 0};
  if (!causes_->keeps_all() || shared_->looks)
    return then == at.at_ ? at : follow(at, then, At::Kind::after, wait);
  const std::int64_t number = then / step;
  const At exactly = keep(after(begin(), then, steps(number)));
  const At ready = keep(at);
  in_order(after(begin(), then - step, steps(number - 1)), ready);
  in_order(ready, exactly);
  At edge = follow(ready, then, At::Kind::step, wait);
  edge.exactly_ = exactly.from_;
  return edge;
}

CausedTimes::At CausedTimes::turn(const At& ready, const At& last) const {
  if (last.at_ <= ready.at_ || shared_->looks) return last;
  return At{last.at_, causes_->make(last.at_, cause(last), hw::why(Reason::bank_free, memory_))};
}

// The first of several equal times.
CausedTimes::At CausedTimes::latest(std::initializer_list<At> all) const {
  const At* last = all.begin();
  for (const At& one : all) {
    if (one.at_ > last->at_) last = &one;
  }
  if (!causes_->keeps_all() || shared_->looks) return *last;
  Cause join = cause(*last);
  for (const At& one : all) {
    if (&one != last) join = causes_->latest(join, cause(one));
  }
  return At{last->at_, std::move(join)};
}

CausedTimes::At CausedTimes::earliest(const At& a, const At& b) const {
  const bool second = b.at_ < a.at_;
  in_order(second ? b : a, second ? a : b);
  return second ? b : a;
}

void CausedTimes::in_order(const At& first, const At& second) const {
  if (causes_->keeps_all() && !shared_->looks && first.at_ <= second.at_)
    causes_->orders().in_order(cause(first), cause(second));
}

Cause CausedTimes::cause(const At& at) const {
  switch (at.kind_) {
    case At::Kind::known: break;
    case At::Kind::after: return causes_->make(at.at_, at.from_, at.why_);
    case At::Kind::back: return causes_->make_back(at.at_, at.from_, at.why_);
    case At::Kind::step: return causes_->make_stepped(at.from_, at.why_, at.exactly_);
  }
  return at.from_;
}

}  // namespace kbsim::hw
