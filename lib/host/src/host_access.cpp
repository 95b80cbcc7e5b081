#include "host_access.hpp"

#include <utility>
#include <vector>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/sim/when_all.hpp"

namespace kbsim::host {
namespace {

Task<> all_written(std::vector<Task<>> parts) { co_await when_all(std::move(parts)); }

Task<oplog::Slices> all_read(std::vector<Task<oplog::Slices>> parts) {
  const std::vector<oplog::Slices> read = co_await when_all(std::move(parts));
  oplog::Slices all;
  for (const oplog::Slices& part : read) all.insert(all.end(), part.begin(), part.end());
  co_return all;
}

}  // namespace

Task<> write_memory(hw::Machine& machine, int rank, const topology::PhysRange& to, oplog::Slice contents,
                    const std::shared_ptr<const void>& held) {
  std::vector<Task<>> parts;
  hw::for_each_part(machine.graph(), to, [&](const topology::PhysRange& part, Bytes offset) {
    const hw::MemoryAddress at = hw::locate(machine.graph(), part.pa);
    const oplog::Slice here{contents.value, contents.offset + offset.count(), part.bytes.count()};
    parts.push_back(hw::host_of(machine).write(rank, at.memory, at.address, here, held));
  });
  return parts.size() == 1 ? std::move(parts.front()) : all_written(std::move(parts));
}

Task<oplog::Slices> read_memory(hw::Machine& machine, int rank, const topology::PhysRange& from) {
  std::vector<Task<oplog::Slices>> parts;
  hw::for_each_part(machine.graph(), from, [&](const topology::PhysRange& part, Bytes) {
    const hw::MemoryAddress at = hw::locate(machine.graph(), part.pa);
    parts.push_back(hw::host_of(machine).read(rank, at.memory, at.address, part.bytes));
  });
  return parts.size() == 1 ? std::move(parts.front()) : all_read(std::move(parts));
}

}  // namespace kbsim::host
