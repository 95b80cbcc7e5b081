#include <algorithm>

#include "kbsim/mock/pe.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::mock {
namespace {

PendingPtr store(Pe& pe, const StoreCommand& command) {
  const std::span<const std::byte> bytes{*static_cast<const MockTile&>(*command.tile).value()};
  for (const BlockRun& run : command.to.runs) {
    const auto part =
        bytes.subspan(static_cast<std::size_t>(run.offset), static_cast<std::size_t>(run.bytes.count()));
    std::ranges::copy(part, pe.memory(run.va, run.bytes, "store", command.at).begin());
  }
  return pe.done("store", nullptr, command.at);
}
KBSIM_MEMORY_OP(StoreCommand, store);

}  // namespace
}  // namespace kbsim::mock
