#include "kbsim/hw/queue_trace.hpp"

#include <fmt/format.h>

namespace kbsim::hw {

void QueueTrace::note(Time now, const Event& event) {
  print_before(now);
  events_.insert(event);
}

void QueueTrace::print_before(Time t) {
  while (!events_.empty() && events_.begin()->at < t) {
    const Event& event = *events_.begin();
    fmt::print(file_, "{} {} {} {} {} B #{}\n", to_string(event.at), to_string(event.pe), event.what,
               event.direction, event.bytes.count(), event.sequence);
    events_.erase(events_.begin());
  }
}

}  // namespace kbsim::hw
