#include "kbsim/host/pointer_dump.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kbsim/hw/control/i_queue_state.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::host {
namespace {

constexpr std::size_t kRingsListed = 64;

std::string place(std::uint64_t ring) { return to_string(topology::PhysAddr::from_bits(ring)); }

// The peer's name for the queue.
std::map<std::uint64_t, std::string> directions(const std::vector<QueueEnd>& ends) {
  std::map<std::uint64_t, std::string> all;
  for (const QueueEnd& end : ends) all.emplace(end.ring, end.direction);
  return all;
}

std::string rings_of(const QueueEnd& end, const std::map<std::uint64_t, std::string>& of_ring) {
  const auto peer = of_ring.find(end.peer_ring);
  return fmt::format("ring {} peer {} {} {}", place(end.ring), to_string(end.peer),
                     peer == of_ring.end() ? "(nothing)" : peer->second, place(end.peer_ring));
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

std::string told_of_rings(hw::Machine& machine, const std::vector<PeCoord>& pes) {
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
