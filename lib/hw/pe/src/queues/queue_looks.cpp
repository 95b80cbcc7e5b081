#include "queue_looks.hpp"

#include <utility>

#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/sim/server_orders.hpp"

#include "waiting_commands.hpp"

namespace kbsim::hw {

std::optional<Time> QueueLooks::end_turn(const WaitingCommands& waits) {
  const std::optional<Time> at = polls() ? next(waits) : std::nullopt;
  looking_ = false;
  return at;
}

// A look finds nothing between events that let a command go on: only the look after one is an event.
std::optional<Time> QueueLooks::next(const WaitingCommands& waits) {
  const Time now = unit_.sim().now();
  const KernelContext* const kernel = waits.kernel();
  if (kernel == nullptr) {
    if (clock_.under_way()) clock_.end(now);
    return std::nullopt;
  }
  if (!clock_.under_way()) begin(waits, *kernel);
  if (!waits.can_go_on()) return std::nullopt;
  const Time next = clock_.next(looking_ ? now + 1_ps : now);
  return next != std::exchange(next_look_, next) ? std::optional{next} : std::nullopt;
}

void QueueLooks::begin(const WaitingCommands& waits, const KernelContext& kernel) {
  clock_.begin(unit_.sim().now(), {.period = *queues_.in_use().settings.poll,
                                   .cost = kernel.units().dispatch,
                                   .queues = unit_.id,
                                   .why = unit_.sim().causes() != nullptr ? waits.why() : Cause{}});
}

// With polling it goes on at pe_cpu's next look. Earlier looks found nothing.
void QueueLooks::go_on_with(const Cause& asked, const Cause& there, const Cause& last, Time at) {
  Causes& causes = *unit_.sim().causes();
  found_ = last;
  causes.set_current(last);
  if (!polls()) return;
  if (asked.at() == unit_.sim().now()) return causes.orders().in_order(there, asked);
  const Cause seen = looked(asked, there, last);
  causes.set_current(seen);
  const NodeId cpu = unit_.graph().pe(unit_.at()).cpu;
  found_ = at == seen.at() ? seen : causes.make(at, seen, why(Reason::looks, cpu, 1_B));
}

// A look that was posted for an earlier wait may lie between the looks of the present one.
Cause QueueLooks::looked(const Cause& asked, const Cause& there, const Cause& last) const {
  Causes& causes = *unit_.sim().causes();
  const Time now = unit_.sim().now();
  const Why wait = why(Reason::poll_wait, unit_.id);
  const std::int64_t number = clock_.number(now);
  const Cause look = clock_.look(causes, number);
  if (!look || look.at() != now) return causes.make(now, last, wait);
  causes.orders().in_order(asked, there);
  causes.orders().in_order(last, look);
  if (number > 1) causes.orders().in_order(clock_.look(causes, number - 1), last);
  return causes.make_stepped(last, wait, look);
}

}  // namespace kbsim::hw
