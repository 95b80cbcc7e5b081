#include "kbsim/tl/masked.hpp"
#include "kbsim/tl/memory_ops.hpp"

#include "by_data.hpp"

namespace kbsim::mock {
namespace {

PendingPtr masked_load(Pe& pe, const MaskedLoadCommand& command) {
  return moved_by_data(pe, command, command.mask,
                       [&](Block block) { return loaded(pe, std::move(block), command.at); });
}
KBSIM_MEMORY_OP(MaskedLoadCommand, masked_load);

PendingPtr masked_store(Pe& pe, const MaskedStoreCommand& command) {
  return moved_by_data(pe, command, command.mask, [&](Block block) {
    (void)pe.issue(StoreCommand{.to = std::move(block), .tile = command.tile, .at = command.at});
    return TilePtr{};
  });
}
KBSIM_MEMORY_OP(MaskedStoreCommand, masked_store);

}  // namespace
}  // namespace kbsim::mock
