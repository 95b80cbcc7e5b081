#include "kbsim/hw/locate.hpp"

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

MemoryAddress locate(const topology::Graph& graph, topology::PhysAddr at) {
  const topology::Location where = at.decode();
  const config::MachineSpec& spec = graph.spec();
  const bool exists = where.sip < spec.system.sips.count && where.cube < spec.cubes_per_sip() &&
                      where.pe < spec.pes_per_cube();
  if (!exists) throw KernelFault{to_string(at) + " is not in this machine"};
  switch (where.unit()) {
    case topology::Unit::hbm: {
      const std::int64_t slice = where.offset / spec.cube.memory.hbm_per_pe;
      if (slice >= spec.pes_per_cube()) throw KernelFault{to_string(at) + " is beyond the cube's HBM"};
      const NodeId memory = graph.cube(where.sip, where.cube).hbm[static_cast<std::size_t>(slice)];
      return {memory, (where.offset % spec.cube.memory.hbm_per_pe).count()};
    }
    case topology::Unit::sram: return {graph.cube(where.sip, where.cube).sram, where.offset.count()};
    case topology::Unit::pe: {
      const auto first = static_cast<std::int64_t>(info(where.region).first);
      return {graph.pe(where.coord()).tcm, first + where.offset.count()};
    }
    case topology::Unit::m_cpu: break;
  }
  throw KernelFault{to_string(at) + " is not memory"};
}

}  // namespace kbsim::hw
