#include "queue_order.hpp"

#include <utility>

#include "kbsim/hw/control/control.hpp"

namespace kbsim::hw {

void report_done(const QueueUnit& unit, const QueueOrder& order) {
  unit.fabric.send(unit.fabric.make(
      unit.id, order.from, unit.graph().spec().system.control_bytes, TrafficClass::response,
      ControlDone{.token = order.token, .activity = {order.start, order.start, unit.sim().now()}}));
}

}  // namespace kbsim::hw
