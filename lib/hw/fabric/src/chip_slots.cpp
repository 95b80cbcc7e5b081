// Slots of links between chips: a packet takes one at the far end of such a link, and keeps it until it is
// sent over the next such link of its route. From the last one's port it leaves for good.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/switches.hpp"

#include "shared_places.hpp"

namespace kbsim::hw {

// Each class of traffic and each phase has slots of its own.
void Switches::add_slots() {
  const topology::Graph& graph = fabric_.graph();
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    const topology::Link& link = graph.links()[i];
    if (link.slots == nullptr) continue;
    RareLink& rare = places_.links[i].make_rare();
    if (rare.credits != nullptr)
      throw Unsupported{
          fmt::format("credits of a link to {}, which has finite input queues", graph.node(link.to).name)};
    rare.slots = std::make_unique<Credits>(
        InputQueues{.vcs = graph.classes() * graph.phases(), .bytes = Bytes{link.slots->credits}});
    rare.bubble = link.axis != 0;
    for (const NodeId end : {link.from, link.to}) places_.slots.insert(end);
  }
}

// The hop by whose slot the packet occupies memory now.
std::optional<std::uint32_t> Switches::slot_held(const Packet& packet) const {
  for (std::uint32_t hop = packet.hop; hop-- > 0;)
    if (fabric_.live(packet.message->route[hop]).slots() != nullptr) return hop;
  return std::nullopt;
}

bool Switches::is_on_ring(const Packet& packet) const {
  const topology::Graph& graph = fabric_.graph();
  const std::span<const LinkId> route = packet.message->route;
  const std::optional<std::uint32_t> held = slot_held(packet);
  return held && graph.link(route[*held]).axis == graph.link(route[packet.hop]).axis;
}

Bytes Switches::slots_needed(const Packet& packet) const {
  return Bytes{fabric_.next_link(packet).rare->bubble && !is_on_ring(packet) ? 2 : 1};
}

std::optional<std::uint32_t> Switches::slot_ahead(const Packet& packet) const {
  LiveLink& link = fabric_.next_link(packet);
  const Time now = fabric_.sim().now();
  const std::uint32_t channel = channels(packet).first;
  if (link.slots()->has_room(channel, slots_needed(packet), now)) return channel;
  if (link.lane.free() <= now) link.rare->blocked_since = std::min(link.rare->blocked_since, now);
  return std::nullopt;
}

void Switches::give_back_slot(const Packet& packet, Time tail_left) {
  const std::optional<std::uint32_t> held = slot_held(packet);
  if (!held) return;
  const std::span<const LinkId> route = packet.message->route;
  const auto has_slots = [this](LinkId link) { return fabric_.live(link).slots() != nullptr; };
  const bool leaves = *held + 1 == packet.hop && std::ranges::none_of(route.subspan(packet.hop), has_slots);
  if (!has_slots(route[packet.hop]) && !leaves) return;
  const LinkId link = route[*held];
  const LiveLink& came = fabric_.live(link);
  const Time at = tail_left + came.wire;
  const std::uint32_t channel = channels(packet, *held).first;
  came.slots()->give(at, channel, Bytes{1});
  if (FabricCauses* const causes = fabric_.causes()) [[unlikely]] {
    Cause there = causes->causes().make(at, causes->tail_left(), why(Reason::wire, link));
    causes->causes().because(there);
    causes->give(link, channel, Bytes{1}, std::move(there));
  }
  wake(came.from, at);
}

}  // namespace kbsim::hw
