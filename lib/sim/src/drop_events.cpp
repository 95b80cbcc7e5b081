#include "kbsim/sim/detail/drop_events.hpp"

namespace kbsim::detail {

bool drop_all(List& events) {
  if (events.empty()) return false;
  while (!events.empty()) {
    auto& event = static_cast<TimedEvent&>(events.pop_front());
    event.dispatch(event, nullptr);
  }
  return true;
}

}  // namespace kbsim::detail
