#include "kbsim/base/error.hpp"
#include "kbsim/mock/pe.hpp"
#include "kbsim/replay/numbers.hpp"
#include "kbsim/tl/gather.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::mock {
namespace {

// Indices and rows are known at once. Faults are thrown where the machine throws them: at the await.
PendingPtr gather(Pe& pe, const GatherCommand& command) {
  const TilePtr& indices = command.indices;
  const auto numbers = replay::to_doubles(*static_cast<const MockTile&>(*indices).value(), indices->dtype());
  PendingPtr state = pe.pending(CommandWait{"gather"}, command.at);
  try {
    Block block{.runs = runs_of(command, numbers), .shape = command.shape, .dtype = command.base.dtype};
    for (const BlockRun& run : block.runs)
      (void)pe.memory(run.va, run.bytes, described(command, run), command.at);
    const PendingPtr loaded = pe.issue(LoadCommand{.from = std::move(block), .at = command.at});
    state->complete(loaded->observe(), {});
  } catch (const Error&) {
    state->fail(std::current_exception());
  }
  return state;
}
KBSIM_MEMORY_OP(GatherCommand, gather);

}  // namespace
}  // namespace kbsim::mock
