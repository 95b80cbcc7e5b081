#include "kbsim/sim/causes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/kernel_lines.hpp"
#include "kbsim/sim/server_orders.hpp"

#include "cause_tables.hpp"

namespace kbsim {

Causes::Causes(const Time& now, const Options& options)
    : now_{now},
      options_{options},
      keeps_all_{options.all > 0},
      compress_at_{1 << 16},
      tables_{std::make_unique<CauseTables>()},
      orders_{std::make_unique<ServerOrders>(*this)},
      lines_{std::make_unique<KernelLines>()} {
  set_room();
  current_ = make_any(now, {}, {}, false);
}

Causes::~Causes() = default;

// A moment without a parent.
Cause Causes::alone(std::uint32_t id, Time at) {
  moments_.put(id, 1, {.at = at});
  return {moments_, id};
}

void Causes::refuse_earlier(Time at, const Cause& parent, const Why& why) const {
  if (gives_up_) return;
  throw InternalError{fmt::format("a time is earlier than its cause: {} before {}, reason {} at {}",
                                  to_string(at), to_string(parent.at()), why.reason, why.place)};
}

void Causes::refuse_last() { throw InternalError{"a parent is the last of the causes"}; }

Cause Causes::make_stepped(const Cause& parent, const Why& why, const Cause& exactly) {
  Cause made = make(exactly.at(), parent, why);
  if (!keeps_all_) return made;
  hold_other(made, exactly);
  moments_[made.id()].stepped = true;
  return made;
}

void Causes::give_up(std::string why) {
  if (!options_.optional) throw Unsupported{"--explain: " + why};
  if (given_up_.empty()) given_up_ = std::move(why);
  gives_up_ = !given_up_.empty();
}

std::uint32_t Causes::allocate_slowly() {
  if (moments_.free() == 0 && !moments_.has_room()) make_room();
  return moments_.free() == 0 ? moments_.append() : moments_.take_free();
}

// Called when no number is free.
void Causes::make_room() {
  if (keeps_all_ && moments_.next() > options_.all) keep_only_last();
  if (!keeps_all_ && moments_.free() == 0 && moments_.next() >= compress_at_) {
    moments_.compress();
    if (moments_.living() > compress_at_ / 2) compress_at_ *= 2;
  }
  if (moments_.free() == 0) {
    if (moments_.next() > options_.most) refuse_more();
    if (moments_.next() == moments_.allocated()) moments_.allocate_more();
  }
  set_room();
}

void Causes::refuse_more() {
  const std::string many = fmt::format("more than {} causes are alive", options_.most);
  if (!options_.optional) throw LimitError{many + ": without --explain none are kept", {}};
  give_up(many);
}

void Causes::set_room() {
  const std::size_t room = std::min(moments_.allocated(), keeps_all_ ? options_.all + 1 : compress_at_);
  moments_.set_room(std::min(room, options_.most + 1));
}

// Drops the causes that weren't last.
void Causes::keep_only_last() {
  keeps_all_ = false;
  orders_->clear();
  tables_->set = {};
  for (const std::uint32_t waits : std::exchange(tables_->waiting, {}).numbers()) moments_.release(waits);
  moments_.forget_others();
}

}  // namespace kbsim
