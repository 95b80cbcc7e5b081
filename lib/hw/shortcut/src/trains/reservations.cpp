#include "reservations.hpp"

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {

// A link between processes is known to both of them.
Reservations::Reservations(Fabric& fabric)
    : claims{*this, fabric},
      timetables{*this, fabric},
      trains{*this, fabric},
      routes{*this, fabric},
      revocation{*this, fabric},
      again{*this, fabric},
      shadows{*this, fabric},
      shadowed{*this, fabric},
      unobserved{*this, fabric},
      bursts{*this, fabric},
      take_over{*this, fabric},
      fabric_{fabric},
      is_whole_{fabric.is_whole()} {
  for (LiveLink& link : fabric.live_links()) {
    if (link.border() != nullptr && link.ahead == nullptr) (void)look_ahead(link);
  }
}

LinkAhead& Reservations::look_ahead(LiveLink& link) {
  Component& from = fabric_.component(link.from);
  const bool is_leaf = fabric_.graph().out(link.from).size() == 1 && fabric_.inputs(link.from) == 1;
  const bool crosses = link.border() != nullptr;  // packets that were handed over can't be revoked
  link.ahead = &ahead_.emplace_back();
  link.ahead->passes_on = fabric_.arrivals(link.from) != nullptr && !crosses && !link.is_observed();
  link.ahead->is_source = is_leaf && from.contract().only_answers && fabric_.goes_at_once(link) && !crosses;
  link.ahead->overhead = from.steady_overhead();
  if (!crosses) unobserved.find_end(link);
  return *link.ahead;
}

LiveLink& Reservations::ingress_of(const Packet& packet) const {
  return fabric_.live(packet.message->route[packet.hop - 1]);
}

}  // namespace kbsim::hw
