// Claims: packets that cross links without events, because a unit knows them ahead.
#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_link_hold.hpp"
#include "kbsim/hw/fabric/paced_runs.hpp"

#include "arrival_order.hpp"
#include "reservations.hpp"
#include "shared_places.hpp"

namespace kbsim::hw {

ILinkHold::~ILinkHold() = default;

void Fabric::end_holds() const {
  while (!holds_.empty()) holds_.back()->settle();
}

void Fabric::settle(NodeId node) const {
  end_holds();
  for (const LinkId out : graph_.out(node)) {
    if (ILinkHold* const hold = links_[out.value()].hold) hold->settle();
  }
  if (reservations_ != nullptr && books_ahead_) reservations_->catch_up(node);
}

void Fabric::end_runs() const {
  while (!runs_.empty()) runs_.back()->give_way();
}

bool Fabric::is_free(LiveLink& link) const {
  return link.hold == nullptr && link.from_switch() == nullptr && link.credits() == nullptr &&
         reservations_->none_on(link);
}

bool Fabric::all_take_time_to(NodeId node) {
  return std::ranges::all_of(links_to(node), [this](const LiveLink* link) { return takes_time(*link); });
}

// Nodes are joined by a link each way.
std::vector<LiveLink*> Fabric::links_to(NodeId node) {
  std::vector<LiveLink*> found;
  for (const LinkId out : graph_.out(node)) {
    for (const LinkId id : graph_.out(graph_.link(out).to)) {
      if (graph_.link(id).to == node) found.push_back(&live(id));
    }
  }
  ensure(found.size() == places_->inputs[node.value()], "a node is joined by a link each way");
  return found;
}

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

void Fabric::hold(LiveLink& link, ILinkHold* holder) { reservations_->hold(link, holder); }

bool Fabric::joins(const Component& component, Packet& packet) {
  if (taking_ == nullptr || taking_->component_ != &component) return false;
  std::vector<Packet*>& packets = *taking_->packets_;
  const auto rest = packets.begin() + static_cast<std::ptrdiff_t>(taking_->at_);
  packets.insert(std::ranges::upper_bound(rest, packets.end(), &packet, arrives_before), &packet);
  return true;
}

void Fabric::resume(MessagePtr owned, const OnItsWay& where) {
  Message& message = open(std::move(owned));
  Packet& packet = next_packet(message, message.size, where.sent, where.source_tail);
  message.source_tail = where.source_tail;
  packet.hop = where.hop;
  packet.head = where.head;
  packet.tail = where.tail;
  if (where.hop == 0) return reservations_->leave_by_event(packet);
  LiveLink& came = live(message.route[where.hop - 1]);
  packet.port = came.port;
  if (came.arrivals != nullptr) return came.arrivals->push(came.port - 1, packet);
  come_to(packet, came);
}

void Fabric::passed(Path& path, const Passed& messages) {
  opened_ += messages.messages;
  attribution_.messages += messages.messages;
  attribution_.split += messages.split;
  path.delivered += messages.bytes;
  under_way_ += messages.under_way;
}

}  // namespace kbsim::hw
