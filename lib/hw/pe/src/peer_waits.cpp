#include "kbsim/hw/pe/peer_waits.hpp"

#include <exception>
#include <utility>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/launch_aborted.hpp"
#include "kbsim/tl/barrier.hpp"

namespace kbsim::hw {

void PeerWaits::add(const PendingPtr& pending) {
  if (given_up_) return pending->fail(std::make_exception_ptr(LaunchAborted{}));
  std::erase_if(needing_others_, [](const auto& known) { return known.expired(); });
  needing_others_.push_back(pending);
}

void PeerWaits::give_up() {
  given_up_ = true;
  in_barrier_.clear();
  for (const auto& known : std::exchange(needing_others_, {})) {
    const PendingPtr pending = known.lock();
    if (pending && !pending->done()) pending->fail(std::make_exception_ptr(LaunchAborted{}));
  }
}

bool PeerWaits::ask(const PendingPtr& barrier) {
  add(barrier);
  if (given_up_) return false;
  in_barrier_.emplace(barriers_, barrier);
  if (agent_) {
    barrier->issued_as(units_.races->issue(agent_));
    barrier->issue()->knew_then = agent_->knows();
    units_.races->orders().reaches(launch_.order, barriers_, agent_->publish(oplog::Handover::barrier));
  }
  return true;
}

void PeerWaits::passed(std::uint32_t number) {
  const auto met = in_barrier_.extract(number);
  if (met.empty()) return;
  if (agent_) met.mapped()->issue()->gives(units_.races->orders().passed(launch_.order, number));
  met.mapped()->complete(nullptr, units_.sim->now());
}

void PeerWaits::add_barriers(std::vector<std::uint32_t>& numbers) const {
  for (const auto& [number, pending] : in_barrier_) {
    if (number <= reached_) numbers.push_back(number);
  }
}

}  // namespace kbsim::hw
