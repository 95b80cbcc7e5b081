#include "kbsim/hw/locate.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/hbm_channels.hpp"

namespace kbsim::hw {
namespace {

[[noreturn]] void throw_beyond(const topology::Location& where) {
  throw KernelFault{to_string(where) + " is beyond the cube's HBM"};
}

MemoryAddress in_slice(const topology::Graph& graph, const topology::Location& where) {
  const Bytes size = graph.spec().cube.memory.hbm_per_pe;
  const std::int64_t slice = where.offset / size;
  if (slice >= graph.spec().pes_per_cube()) throw_beyond(where);
  const NodeId memory = graph.cube(where.sip, where.cube).hbm[static_cast<std::size_t>(slice)];
  return {memory, (where.offset % size).count()};
}

MemoryAddress in_channel(const topology::Graph& graph, const topology::Location& where) {
  const topology::HbmChannels channels{graph.spec().cube.floorplan};
  if (where.offset >= channels.size()) throw_beyond(where);
  const auto place = channels.at(where.offset.count());
  return {graph.cube(where.sip, where.cube).hbm[static_cast<std::size_t>(place.channel)], place.address};
}

}  // namespace

MemoryAddress locate(const topology::Graph& graph, topology::PhysAddr at) {
  const topology::Location where = at.decode();
  const config::MachineSpec& spec = graph.spec();
  const bool exists = where.sip < spec.system.sips.count && where.cube < spec.cubes_per_sip() &&
                      where.pe < spec.pes_per_cube();
  if (!exists) throw KernelFault{to_string(at) + " is not in this machine"};
  switch (where.unit()) {
    case topology::Unit::hbm: return spec.shares_hbm() ? in_channel(graph, where) : in_slice(graph, where);
    case topology::Unit::sram: return {graph.cube(where.sip, where.cube).sram, where.offset.count()};
    case topology::Unit::pe: {
      const auto first = static_cast<std::int64_t>(info(where.region).first);
      return {graph.pe(where.coord()).tcm, first + where.offset.count()};
    }
    case topology::Unit::m_cpu: break;
  }
  throw KernelFault{to_string(at) + " is not memory"};
}

Bytes together(const topology::Graph& graph, const topology::PhysRange& bytes) {
  const topology::Location where = bytes.pa.decode();
  if (!graph.spec().shares_hbm() || where.unit() != topology::Unit::hbm) return bytes.bytes;
  const topology::HbmChannels channels{graph.spec().cube.floorplan};
  return std::min(bytes.bytes, Bytes{channels.at(where.offset.count()).together});
}

}  // namespace kbsim::hw
