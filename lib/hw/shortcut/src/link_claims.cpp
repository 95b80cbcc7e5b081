#include "link_claims.hpp"

#include "bursts/burst_schedule.hpp"
#include "trains/reservations.hpp"

namespace kbsim::hw {

ILinkClaim* Claims::claim(const LiveLink& link) const {
  return link.claimed != 0 ? link.ahead->claim : nullptr;
}

// A claim must observe all packets that cross its link.
void Claims::set_claim(LiveLink& link, ILinkClaim* holder) {
  LinkAhead& there = all_.ahead(link);
  if (holder != nullptr && there.is_shadowed) all_.shadows.end_shadow(link, there);
  there.claim = holder;
  link.claimed = holder != nullptr ? 1 : 0;
}

bool Claims::is_free(LiveLink& link) {
  return link.claimed == 0 && link.from_switch() == nullptr && link.credits() == nullptr &&
         !link.is_observed() && none_on(link);
}

bool Claims::none_on(LiveLink& link) {
  if (all_.shadowed.has_shadowed_packets(link)) return false;
  if (link.reserved > 0) all_.timetables.serve_before(link, all_.ahead(link), fabric_.sim().now(), 0);
  if (link.reserved > 0) return false;
  if (link.merges != 0) all_.unobserved.merge(link, fabric_.sim().now(), 0);
  if (link.ahead == nullptr || link.ahead->end == LinkAhead::End::observed) return true;
  if (link.ahead->end == LinkAhead::End::passed)
    all_.unobserved.merge(*link.ahead->downstream, fabric_.sim().now(), 0);
  else
    all_.unobserved.catch_up(link);
  return link.ahead->unobserved.empty();
}

void Claims::notify() {
  while (!revoked_.empty()) {
    ILinkClaim* const holder = claim(*revoked_.back());
    revoked_.pop_back();
    if (holder != nullptr) holder->flush();
  }
}

void Claims::drop_burst(std::size_t index) {
  bursts_[index] = bursts_.back();
  bursts_[index]->set_index(index);
  bursts_.pop_back();
}

void Claims::end_bursts() {
  while (!bursts_.empty()) bursts_.back()->yield();
}

}  // namespace kbsim::hw
