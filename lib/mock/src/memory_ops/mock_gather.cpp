#include "kbsim/tl/gather.hpp"
#include "kbsim/tl/memory_ops.hpp"

#include "by_data.hpp"

namespace kbsim::mock {
namespace {

PendingPtr gather(Pe& pe, const GatherCommand& command) {
  return moved_by_data(pe, command, command.indices,
                       [&](Block block) { return loaded(pe, std::move(block), command.at); });
}
KBSIM_MEMORY_OP(GatherCommand, gather);

}  // namespace
}  // namespace kbsim::mock
