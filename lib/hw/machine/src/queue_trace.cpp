#include "kbsim/hw/queue_trace.hpp"

#include <fmt/format.h>

#include "kbsim/base/say.hpp"

namespace kbsim::hw {

void QueueTrace::note(Time now, const Event& event) {
  print_before(now);
  events_.insert(event);
}

void QueueTrace::print_before(Time t) {
  while (!events_.empty() && events_.begin()->at < t) {
    const Event& event = *events_.begin();
    say_to(file_, fmt::format("{} {} {} {} {} B #{}\n", to_string(event.at), to_string(event.pe), event.what,
                              event.direction, event.bytes.count(), event.sequence));
    events_.erase(events_.begin());
  }
}

}  // namespace kbsim::hw
