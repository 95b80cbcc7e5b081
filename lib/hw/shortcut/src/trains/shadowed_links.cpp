// If all packets that cross link B arrive by one link A, which is no faster, no packet ever waits for B. At A
// a packet starts no earlier than the one before it has ended. So it starts at B `wire + overhead` later,
// after the one before it has left. B gets no reservation: the one at A gives the times at B. This holds
// until a message takes another route to B. Then packets are reserved at B as usual.
#include "shadowed_links.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "reservations.hpp"

namespace kbsim::hw {

// Each path is made known before its first message.
void ShadowedLinks::know(std::span<const LinkId> route) {
  if (!all_.is_whole()) return;
  for (const LinkId id : route) {
    __builtin_prefetch(&fabric_.live(id));
    __builtin_prefetch(&fabric_.live(id).ahead);
  }
  LiveLink* before = nullptr;
  for (const LinkId id : route) {
    LiveLink& link = fabric_.live(id);
    LinkAhead& there = all_.ahead(link);
    if (!there.is_known) {
      there.is_known = true;
      there.before = before;
      there.is_shadowed = before != nullptr && may_shadow(link, *before);
      has_shadows_ |= there.is_shadowed;
    } else if (there.is_shadowed && there.before != before) {
      end_shadow(link, there);
    }
    before = &link;
  }
}

// True if both nodes only pass packets on, each packet arrives later than it is sent, and `before` is no
// faster.
bool ShadowedLinks::may_shadow(const LiveLink& link, LiveLink& before) {
  const bool passes = all_.ahead(before).passes_on && link.ahead->passes_on && link.arrivals != nullptr;
  const bool no_faster = !link.lane.is_framed() && link.lane.rate() >= before.lane.rate();
  return passes && no_faster && before.lane.service(1_B) > Time{0};
}

void ShadowedLinks::end_shadow(LiveLink& link, LinkAhead& there) {
  all_.shadowed.unfold(link);
  if (link.reserved > 0) all_.timetables.serve_before(link, there, fabric_.sim().now(), 0);
  there.is_shadowed = false;
  ++shadows_ended_;
}

// The shadowed links from this hop on. Callers mostly ask for the entry after the last one.
[[gnu::always_inline]] inline const Path::Shadow& ShadowedLinks::shadow(Path& path, std::uint32_t hop) const {
  const std::vector<Path::Shadow>& all = path.shadows;
  if (path.next_shadow == all.size()) path.next_shadow = 0;
  const bool is_next =
      path.shadows_ended == shadows_ended_ && !all.empty() && all[path.next_shadow].hop == hop;
  if (!is_next) find_shadow(path, hop);
  return all[path.next_shadow++];
}

void ShadowedLinks::find_shadow(Path& path, std::uint32_t hop) const {
  if (std::exchange(path.shadows_ended, shadows_ended_) != shadows_ended_) path.shadows.clear();
  const auto found = std::ranges::find(path.shadows, hop, &Path::Shadow::hop);
  path.next_shadow = static_cast<std::uint32_t>(found - path.shadows.begin());
  if (found == path.shadows.end()) path.shadows.push_back(shadow_from(path, hop));
}

Path::Shadow ShadowedLinks::shadow_from(const Path& path, std::uint32_t hop) const {
  Path::Shadow shadow{.hop = static_cast<std::uint16_t>(hop)};
  for (; hop < path.route.size(); ++hop) {
    const LiveLink& link = fabric_.live(path.route[hop]);
    if (link.ahead == nullptr || !link.ahead->is_shadowed) break;
    ++shadow.links;
    shadow.port = link.port;
    shadow.takes += link.ahead->overhead + link.wire;
  }
  return shadow;
}

// Other packets may arrive there by events, or be reserved there: no packet waits for another.
void ShadowedLinks::cross_shadowed(Packet& packet, Reservation& reservation, std::uint32_t end) {
  const std::uint32_t first = packet.hop;
  if (has_shadows_) {
    const Path::Shadow& all = shadow(*packet.message->path, first);
    if (first + all.links > end) [[unlikely]] {
      while (packet.hop < end) cross_unreserved(packet, fabric_.next_link(packet));
    } else if (all.links > 0) {
      packet.hop += all.links;
      packet.head += all.takes;
      packet.tail += all.takes;
      packet.port = all.port;
    }
  }
  reservation.shadowed = static_cast<std::uint16_t>(packet.hop - first);
  reservation.shadow = packet.message->route.data() + first;
  reservation.reach = packet.head - reservation.first.start;
}

void ShadowedLinks::skip(Packet& packet, const LiveLink& link, std::uint32_t shadowed, Time reach) const {
  if (shadowed == 0) return;
  const Time takes = reach - link.wire;
  packet.hop += shadowed;
  packet.head += takes;
  packet.tail += takes;
  packet.port = all_.ingress_of(packet).port;
}

void ShadowedLinks::cross_unreserved(Packet& packet, const LiveLink& link) {
  const Time takes = link.ahead->overhead + link.wire;
  packet.head += takes;
  packet.tail += takes;
  packet.port = link.port;
  ++packet.hop;
}

}  // namespace kbsim::hw
