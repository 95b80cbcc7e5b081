#include "kbsim/hw/pe/send_turns.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

void SendTurns::leave_now(Time at, SendCommand&& send) {
  LastSend& last = last_[send.queue];
  last.at = std::max(last.at, at);
  if (Causes* const causes = units_.sim->causes()) [[unlikely]]
    causes->because(last.why = causes->latest(send.why, last.why));
  units_.scheduler->submit(last.at, std::move(send));
}

// Leaves after earlier sends that are still being loaded from memory.
void SendTurns::leave(Time at, SendCommand&& send) {
  const std::shared_ptr<Event> before = last_[send.queue].loaded;
  if (!before || before->is_set()) return leave_now(at, std::move(send));
  std::shared_ptr<KernelContext> owner = send.kernel;
  (void)units_.sim->serve("send", leave_after(std::move(owner), before, at, std::move(send)));
}

Task<> SendTurns::leave_after(std::shared_ptr<KernelContext> owner, std::shared_ptr<Event> before, Time at,
                              SendCommand send) {
  co_await before->wait(send.pending->at());
  const Time next = units_.sim->now() + 1_ps;
  if (Causes* const causes = units_.sim->causes()) send.why = causes->latest(next_step(), send.why);
  leave_now(std::max(at, next), std::move(send));
}

void SendTurns::leave_with(PendingPtr loaded, SendCommand&& send) {
  std::shared_ptr<Event>& last = last_[send.queue].loaded;
  const std::shared_ptr<Event> before = std::exchange(last, make_pooled<Event>(*units_.sim, "send"));
  std::shared_ptr<KernelContext> owner = send.kernel;
  (void)units_.sim->serve(
      "send", leave_when_loaded(std::move(owner), std::move(loaded), before, last, std::move(send)));
}

Task<> SendTurns::leave_when_loaded(std::shared_ptr<KernelContext> owner, PendingPtr loaded,
                                    std::shared_ptr<Event> before, std::shared_ptr<Event> left,
                                    SendCommand send) {
  if (before) co_await before->wait(send.pending->at());
  co_await loaded->event().wait(send.pending->at());
  send.tile = loaded->result();
  if (units_.sim->causes() != nullptr) send.why = next_step();
  leave_now(units_.sim->now() + 1_ps, std::move(send));
  left->set();
}

// The send leaves a picosecond after the commands of the present time.
Cause SendTurns::next_step() const {
  Causes& causes = *units_.sim->causes();
  return causes.make(units_.sim->now() + 1_ps, causes.current(), why(Reason::step, units_.cpu));
}

}  // namespace kbsim::hw
