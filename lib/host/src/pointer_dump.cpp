#include "kbsim/host/pointer_dump.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kbsim/hw/control/i_queue_state.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::host {
namespace {

constexpr std::size_t kRingsListed = 64;

std::string place(std::uint64_t ring) { return to_string(topology::PhysAddr::from_bits(ring)); }

// A PE's name for a queue, by its ring; if it only sends, by the peer's ring.
using Directions = std::map<std::pair<std::uint64_t, PeCoord>, std::string>;

Directions directions(const std::vector<QueueEnd>& ends) {
  Directions all;
  for (const QueueEnd& end : ends) all.emplace(std::pair{end.ring, end.pe}, end.direction);
  return all;
}

std::string rings_of(const QueueEnd& end, const Directions& of_ring) {
  const auto found = of_ring.find({end.peer_ring, end.peer});
  const std::string peer =
      fmt::format("peer {} {}", to_string(end.peer), found == of_ring.end() ? "(nothing)" : found->second);
  if (!receives(end.flow)) return fmt::format("{} {} {}", limit_of(end.flow), peer, place(end.peer_ring));
  if (!sends(end.flow)) return fmt::format("{} ring {} {}", limit_of(end.flow), place(end.ring), peer);
  return fmt::format("ring {} {} {}", place(end.ring), peer, place(end.peer_ring));
}

}  // namespace

std::vector<QueueEnd> queue_ends(hw::Machine& machine) {
  std::vector<QueueEnd> ends;
  for (const topology::SipNodes& sip : machine.graph().sips()) {
    for (const topology::CubeNodes& cube : sip.cubes) {
      for (const topology::PeNodes& pe : cube.pes) machine.at<hw::IQueueState>(pe.ipcq).add_ends(ends);
    }
  }
  return ends;
}

std::string pointer_dump(hw::Machine& machine) {
  const std::vector<QueueEnd> ends = queue_ends(machine);
  const auto of_ring = directions(ends);
  std::string text;
  for (const QueueEnd& end : ends) {
    text += fmt::format(
        "{} {}: my_head={} my_tail={} peer_head_cache={} peer_tail_cache={} n_slots={} sends_waiting={} "
        "recvs_waiting={} {}\n",
        to_string(end.pe), end.direction, end.my_head, end.my_tail, end.peer_head, end.peer_tail, end.slots,
        end.sends, end.receives, rings_of(end, of_ring));
  }
  return text;
}

std::string describe_rings(hw::Machine& machine, const std::vector<PeCoord>& pes) {
  const std::vector<QueueEnd> ends = queue_ends(machine);
  const auto of_ring = directions(ends);
  std::string text;
  std::size_t listed = 0;
  for (const QueueEnd& end : ends) {
    if (std::ranges::find(pes, end.pe) == pes.end() || ++listed > kRingsListed) continue;
    text += fmt::format("\n  {} {} {}", to_string(end.pe), end.direction, rings_of(end, of_ring));
  }
  if (listed == 0) return "";
  const std::string more = listed > kRingsListed ? fmt::format("\n  and {} more", listed - kRingsListed) : "";
  return "\nrings:" + text + more;
}

}  // namespace kbsim::host
