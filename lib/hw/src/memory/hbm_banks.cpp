#include "kbsim/hw/memory/hbm_banks.hpp"

#include <algorithm>

#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/pe/slot_messages.hpp"

namespace kbsim::hw {
namespace {

const HbmSpec& checked(const Fabric& fabric, NodeId id, const HbmSpec& spec) {
  const topology::Node& node = fabric.graph().node(id);
  check(spec, node.model->at, node.name);
  return spec;
}

// That of the slice's link to the crossbar.
Bandwidth raw_bandwidth(const topology::Graph& graph, NodeId id) {
  return graph.link(graph.out(id).front()).bandwidth;
}

// Packets of a message hold consecutive addresses.
std::int64_t address_of(const Fabric& fabric, const Packet& packet) {
  const Message& message = *packet.message;
  const auto* write = message.body.get_if<WriteData>();
  const std::int64_t first =
      write != nullptr ? write->address : locate(fabric.graph(), message.body.get<SlotWrite>().slot).address;
  return first + packet.ordinal * fabric.packet_size(message.size).count();
}

}  // namespace

KBSIM_COMPONENT("builtin.hbm_banks", NodeKind::hbm_ctrl, HbmBanks, HbmSpec,
                "HBM slice with pseudo-channels, banks, row buffers and refresh");

HbmBanks::HbmBanks(Fabric& fabric, NodeId id, const HbmSpec& spec)
    : Memory{fabric,
             id,
             spec.controller,
             raw_bandwidth(fabric.graph(), id),
             raw_bandwidth(fabric.graph(), id),
             true},
      controller_{spec.controller},
      timing_{checked(fabric, id, spec), raw_bandwidth(fabric.graph(), id)} {}

// The bytes of a packet leave together, the last as it is served.
Lane::Slot HbmBanks::serve_read(std::int64_t address, Bytes n) {
  const Lane::Slot slot = timing_.serve(address, n, false, sim().now() + controller_);
  note_service(n, sim().now() + latency(false), slot.start);
  return {.start = std::max(slot.start, slot.end - pace(n)), .end = slot.end};
}

Lane::Slot HbmBanks::serve_write(const Packet& packet) {
  const Lane::Slot slot =
      timing_.serve(address_of(fabric(), packet), packet.size, true, packet.tail + controller_);
  note_service(packet.size, packet.tail + latency(true), slot.start);
  return slot;
}

Lane::Slot HbmBanks::serve_update(std::int64_t address, Bytes n, Time ready) {
  const Lane::Slot slot = timing_.serve(address, n, true, ready);
  note_service(n, ready, slot.start);
  return slot;
}

}  // namespace kbsim::hw
