// The memories and links on the path of a probe's data.
#include "probe_path.hpp"

#include <algorithm>

#include "kbsim/hw/locate.hpp"

namespace kbsim::host {
namespace {

constexpr hw::TrafficClass kSent = hw::TrafficClass::ipcq;
constexpr hw::TrafficClass kAnswer = hw::TrafficClass::response;

hw::Memory& memory_at(Session& session, NodeId id) { return session.machine().at<hw::Memory>(id); }

ProbePath to_slots_in_tcm(Session& session, const Ends& ends, Bytes bytes) {
  const topology::Graph& graph = session.machine().graph();
  hw::Memory& source = memory_at(session, graph.pe(ends.pe).tcm);
  hw::Memory& target = memory_at(session, graph.pe(ends.peer).tcm);
  return {.legs = {{source.id(), target.id(), bytes, true, kSent}},
          .ports = {{&source, false, 0}, {&target, true, 0}}};
}

// The first tile's leg into the slot and the last tile's leg out of it. The bottleneck accounts for the tiles
// between them.
ProbePath to_slots_elsewhere(Session& session, const Ends& ends, Bytes bytes) {
  const topology::Graph& graph = session.machine().graph();
  const Bytes control = session.spec().system.control_bytes;
  const Bytes slot = session.algorithm().slot_size;
  const Bytes last = bytes - slot * ((bytes.count() - 1) / slot.count());
  const topology::PeNodes& peer = graph.pe(ends.peer);
  const topology::CubeNodes& cube = graph.cube(ends.peer.sip, ends.peer.cube);
  const bool hbm = session.algorithm().buffer_kind == config::BufferKind::hbm;
  const NodeId slots = hbm ? cube.hbm[static_cast<std::size_t>(ends.peer.pe)] : cube.sram;
  hw::Memory& source = memory_at(session, graph.pe(ends.pe).tcm);
  hw::Memory& between = memory_at(session, slots);
  hw::Memory& target = memory_at(session, peer.tcm);
  return {.legs = {{source.id(), slots, std::min(bytes, slot), true, kSent},
                   {slots, peer.ipcq, control, false, kSent},
                   {peer.dma, slots, control},
                   {slots, target.id(), last, true, kAnswer}},
          .ports = {{&source, false, 0},
                    {&between, true, 0, true},
                    {&between, false, 3, true},
                    {&target, true, 3}},
          .last_leg = 3};
}

}  // namespace

ProbePath path_of(Session& session, const ProbePlan& plan) {
  const topology::Graph& graph = session.machine().graph();
  const Bytes control = session.spec().system.control_bytes;
  const Ends& ends = plan.ends.front();
  if (plan.definition->transfer == Transfer::send) {
    return session.algorithm().buffer_kind == config::BufferKind::tcm
               ? to_slots_in_tcm(session, ends, plan.bytes)
               : to_slots_elsewhere(session, ends, plan.bytes);
  }
  hw::Memory& target = memory_at(session, hw::locate(graph, ends.memory).memory);
  if (plan.definition->transfer == Transfer::host_write) {
    return {.legs = {{graph.host(), target.id(), plan.bytes, true},
                     {target.id(), graph.host(), control, false, kAnswer}},
            .ports = {{&target, true, 0}}};
  }
  if (plan.definition->transfer == Transfer::host_read) {
    return {.legs = {{graph.host(), target.id(), control},
                     {target.id(), graph.host(), plan.bytes, true, kAnswer}},
            .ports = {{&target, false, 1}},
            .last_leg = 1};
  }
  hw::Memory& tcm = memory_at(session, graph.pe(ends.pe).tcm);
  return {.legs = {{graph.pe(ends.pe).dma, target.id(), control},
                   {target.id(), tcm.id(), plan.bytes, true, kAnswer}},
          .ports = {{&target, false, 1}, {&tcm, true, 1}},
          .last_leg = 1};
}

}  // namespace kbsim::host
