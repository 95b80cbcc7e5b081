#include "kbsim/hw/fabric/node_batches.hpp"

#include <algorithm>

#include "kbsim/hw/fabric/component.hpp"

#include "arrival_order.hpp"

namespace kbsim::hw {

// The packet that a component takes now may have gone on, or may no longer exist, if it arrived by another
// link.
bool NodeBatches::has_passed(Component& component, std::uint32_t batch, const Packet& packet) const {
  Simulation& sim = component.fabric().sim();
  const std::uint32_t present = sim.scheduler().lates().of(sim.now());
  if (present != batch) return present > batch;
  if (taking_ == nullptr || taking_->component_ != &component) return !component.inbox().due();
  if (packet.port != taking_->port_) return packet.port < taking_->port_;
  const Packet* const at_hand = (*taking_->packets_)[taking_->at_ - 1];
  return at_hand->message == nullptr || arrives_before(&packet, at_hand);
}

bool NodeBatches::joins(const Component& component, Packet& packet) {
  if (taking_ == nullptr || taking_->component_ != &component) return false;
  std::vector<Packet*>& packets = *taking_->packets_;
  const auto rest = packets.begin() + static_cast<std::ptrdiff_t>(taking_->at_);
  packets.insert(std::ranges::upper_bound(rest, packets.end(), &packet, arrives_before), &packet);
  return true;
}

}  // namespace kbsim::hw
