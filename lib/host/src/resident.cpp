#include "resident.hpp"

#include <map>
#include <utility>
#include <variant>

#include "kbsim/hw/division.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"

#include "shard_contents.hpp"

namespace kbsim::host {
namespace {

oplog::ValueId literal(Session& session, int rank, const topology::ShardSpec& shard,
                       const HostArray& contents) {
  const Time now = session.sim().now();
  oplog::Op op{.id = session.log().reserve(session.lane(rank)),
               .kind = oplog::OpKind::literal,
               .dtype = contents.dtype(),
               .shape = {shard.block.rows, shard.block.cols},
               .unit = session.machine().graph().host(),
               .start = now,
               .end = now};
  if (session.has_values()) op.data = contents_of(contents, shard);
  const oplog::ValueId id = op.id;
  session.log().record(std::move(op));
  return id;
}

}  // namespace

void map_at_once(hw::Machine& machine, const hw::ControlJob& job) {
  for (const hw::ControlTarget& target : job.targets) {
    const NodeId mmu = machine.graph().pe(target.pe).mmu;
    const auto& pages = std::get<hw::MapPages>(target.action);
    hw::change(machine, target.pe.sip, [&machine, mmu, pages] { machine.at<hw::IMmu>(mmu).apply(pages); });
  }
}

void place(Session& session, int rank, const std::vector<Shard>& shards, const HostArray& contents) {
  hw::Machine& machine = session.machine();
  std::map<std::int64_t, oplog::ValueId> values;  // by place in the tensor
  for (const Shard& shard : shards) {
    const auto [value, fresh] = values.try_emplace(shard.spec.offset_bytes);
    if (fresh) value->second = literal(session, rank, shard.spec, contents);
    const topology::PhysRange whole{.pa = shard.pa, .bytes = shard.spec.nbytes};
    hw::for_each_part(machine.graph(), whole, [&](const topology::PhysRange& part, Bytes offset) {
      const hw::MemoryAddress to = hw::locate(machine.graph(), part.pa);
      const oplog::Slice there{.value = value->second, .offset = offset.count(), .bytes = part.bytes.count()};
      hw::change(machine, machine.graph().node(to.memory).at.sip, [&machine, to, there] {
        machine.at<hw::Memory>(to.memory).image().write(to.address, there);
      });
    });
    session.add_resident(shard.spec.nbytes);
  }
}

}  // namespace kbsim::host
