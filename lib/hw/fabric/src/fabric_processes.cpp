// The fabrics of a machine's processes: what each keeps for itself, and what they share.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/i_shortcut.hpp"

#include "shared_places.hpp"

namespace kbsim::hw {

Fabric::Fabric(Fabric& whole, Simulation& sim)
    : Network{whole, sim}, MessagePool{places_}, switches_{*this, *places_} {
  ensure(whole.causes_ == nullptr,
         "causes are kept in the order of all events, which several processes don't have");
  places_->fabrics.push_back(this);
}

Attribution Fabric::attribution() const {
  Attribution all;
  for (const Fabric* fabric : places_->fabrics) {
    all.messages += fabric->counts_.arrived.messages;
    all.split += fabric->counts_.arrived.split;
  }
  return all;
}

void Fabric::exact_packets() {
  for (Fabric* const fabric : places_->fabrics) fabric->unplug_shortcut();
}

// From now on the packet is like one that was sent in this process for a later time.
void Fabric::come_over(Packet& crossed, LiveLink& link) {
  Packet& packet = allocate();
  packet = crossed;
  packet.late = 0;
  leave_spare_messages();
  if (shortcut() != nullptr) return shortcut()->arrive(packet, link);
  arrive_by_event(packet, link);
}

}  // namespace kbsim::hw
