#include "shortcut.hpp"

namespace kbsim::hw {

Reservations& Reservations::of(const Fabric& fabric) {
  return static_cast<Shortcut&>(*fabric.shortcut()).reservations();
}

IShortcut::Meeting Shortcut::before(LiveLink& link, const Packet& packet, Time overhead) {
  Meeting meeting;
  if (link.claimed != 0) [[unlikely]]
    meeting.slot = link.ahead->claim->yield(link, packet, overhead);
  if (link.merges != 0) [[unlikely]]
    all_.unobserved.merge(link, packet);
  meeting.reserves_again = link.reserved > 0 && all_.revocation.revoke_after(link, packet);
  return meeting;
}

void Shortcut::flush() {
  all_.claims.end();
  all_.claims.end_bursts();
  serve_past();
}

void Shortcut::flush(NodeId node) {
  all_.claims.end();
  for (const LinkId out : fabric_.graph().out(node)) {
    if (ILinkClaim* const holder = all_.claims.claim(fabric_.live(out))) holder->flush();
  }
  if (fabric_.shortcut() != nullptr) all_.unobserved.catch_up(node);
}

void Shortcut::flush(LiveLink& link) {
  all_.claims.end();
  (void)all_.claims.is_free(link);
}

// Once at each time is enough: packets reserved at this time arrive later.
void Shortcut::serve_past() {
  if (served_ == fabric_.sim().now()) return;
  served_ = fabric_.sim().now();
  for (LiveLink& link : fabric_.live_links()) {
    const bool is_ours = link.reserved > 0 && &fabric_.owner(link.from) == &fabric_;
    if (is_ours) all_.timetables.serve_before(link, all_.ahead(link), fabric_.sim().now(), 0);
    if (link.merges != 0 && &fabric_.owner(link.from) == &fabric_)
      all_.unobserved.merge(link, fabric_.sim().now(), 0);
  }
  for (LiveLink& link : fabric_.live_links()) {
    if (link.ahead != nullptr && &fabric_.owner(link.from) == &fabric_)
      all_.shadowed.show_passing(link, *link.ahead);
  }
  for (LiveLink& link : fabric_.live_links()) {
    if (link.ahead != nullptr && &fabric_.owner(link.to) == &fabric_) all_.unobserved.catch_up(link);
  }
}

}  // namespace kbsim::hw
