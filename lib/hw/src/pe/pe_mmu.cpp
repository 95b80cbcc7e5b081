#include "kbsim/hw/pe/pe_mmu.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_mmu", NodeKind::pe_mmu, PeMmu, PeMmuSpec, "address translation of a PE");

std::vector<topology::PhysRange> PeMmu::translate(std::uint64_t va, Bytes bytes) const {
  topology::Translation found = map_.lookup(va, bytes);
  if (found.complete()) return std::move(found.pieces);
  const std::optional<topology::Mapping> nearest = map_.nearest(*found.unmapped);
  throw KernelFault{fmt::format("{:#x} is not mapped on {}; nearest mapping: {}", *found.unmapped,
                                to_string(node().at), nearest ? to_string(*nearest) : "none at all")};
}

void PeMmu::accept(MessagePtr message) {
  const auto* order = std::get_if<Control>(&message->body);
  if (order == nullptr) return Component::accept(std::move(message));
  const auto& pages = std::get<MapPages>(order->job->targets[order->first].action);
  for (const topology::Mapping& mapping : pages.mappings) {
    if (pages.unmap) {
      map_.erase(mapping.va, mapping.bytes);
    } else {
      map_.insert(mapping);
    }
  }
  tell(message->from, fabric().graph().spec().system.control_bytes, VirtualChannel::response,
       ControlDone{.token = order->token, .activity = {sim().now(), sim().now(), sim().now()}});
}

}  // namespace kbsim::hw
