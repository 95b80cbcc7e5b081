// The state of a time that is being processed, and of reservations, as other units see it.
#include <algorithm>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_shortcut.hpp"

#include "arrival_order.hpp"
#include "shared_places.hpp"

namespace kbsim::hw {

void Fabric::flush(NodeId node) const {
  if (shortcut_ != nullptr) shortcut_->flush(node);
}

void Fabric::flush_contents() const {
  if (shortcut_ != nullptr) shortcut_->flush_contents();
}

const Lane& Fabric::served(LinkId id) {
  LiveLink& link = live(id);
  IShortcut* const its = owner(link.from).shortcut_.get();
  if (its != nullptr) its->flush(link);
  return link.lane;
}

std::uint32_t Fabric::inputs(NodeId node) const { return places_->inputs[node.value()]; }

// The packet that a component takes now may have gone on, or may no longer exist, if it arrived by another
// link.
bool Fabric::has_passed(Component& component, std::uint32_t batch, const Packet& packet) const {
  const std::uint32_t present = sim_.scheduler().batch();
  if (present != batch) return present > batch;
  if (taking_ == nullptr || taking_->component_ != &component) return !component.inbox().due();
  if (packet.port != taking_->port_) return packet.port < taking_->port_;
  const Packet* const at_hand = (*taking_->packets_)[taking_->at_ - 1];
  return at_hand->message == nullptr || arrives_before(&packet, at_hand);
}

bool Fabric::joins(const Component& component, Packet& packet) {
  if (taking_ == nullptr || taking_->component_ != &component) return false;
  std::vector<Packet*>& packets = *taking_->packets_;
  const auto rest = packets.begin() + static_cast<std::ptrdiff_t>(taking_->at_);
  packets.insert(std::ranges::upper_bound(rest, packets.end(), &packet, arrives_before), &packet);
  return true;
}

void Fabric::passed(Path& path, const Passed& messages) {
  opened_ += messages.messages;
  attribution_.messages += messages.messages;
  attribution_.split += messages.split;
  path.delivered += messages.bytes;
  under_way_ += messages.under_way;
}

}  // namespace kbsim::hw
