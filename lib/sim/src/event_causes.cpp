// The causes of events: of the present one, of those in queues, and of those that wait.
#include <utility>

#include "kbsim/sim/causes.hpp"

#include "cause_tables.hpp"

namespace kbsim {

void Causes::met(const void* condition) {
  if (keeps_all_) tables_->set.insert_or_assign(condition, current_);
}

void Causes::found_met(const void* condition) {
  if (!keeps_all_) return;
  const auto found = tables_->set.find(condition);
  if (found == tables_->set.end()) return;
  const Cause met = found->second;
  current_ = latest(current_, met);
}

void Causes::waits(const void* event) {
  if (!keeps_all_) return;
  const std::uint32_t now = Cause{current_}.hand_over();
  if (const std::uint32_t before = now != 0 ? tables_->waiting.put(event, now) : tables_->waiting.take(event);
      before != 0)
    moments_.release(before);
}

Cause Causes::known(Time t) {
  if (stated_ && stated_.at() == t) return std::exchange(stated_, {});
  return t == now_ ? current_ : Cause{};
}

Cause Causes::of(Time t) {
  if (stated_ && stated_.at() == t) return std::exchange(stated_, {});
  if (t == now_) return current_;
  return make(t, t > now_ ? current_ : Cause{}, {});
}

void Causes::scheduled(const void* event, Time when) {
  if (const std::uint32_t before = tables_->events.put(event, of(when).hand_over()); before != 0) [[unlikely]]
    moments_.release(before);
}

// An event that wasn't noted sets a cause of its own, or has none.
void Causes::runs(const void* event) {
  if (stated_) [[unlikely]]
    stated_ = {};
  const std::uint32_t found = tables_->events.take(event);
  current_ = {moments_, found};
  if (!keeps_all_ || found == 0) return;
  const std::uint32_t waited = tables_->waiting.take(event);
  if (waited == 0) return;
  const Cause ready{moments_, waited};
  current_ = latest(current_, ready);
}

}  // namespace kbsim
