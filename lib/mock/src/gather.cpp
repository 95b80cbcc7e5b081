#include "kbsim/base/error.hpp"
#include "kbsim/replay/numbers.hpp"

#include "pe.hpp"

namespace kbsim::mock {

// The indices are known at once, the rows too; faults come where the machine has them: at the await.
PendingPtr Pe::gather(const GatherCommand& command) {
  const TilePtr& indices = command.indices;
  const auto numbers = replay::to_doubles(*static_cast<const MockTile&>(*indices).value(), indices->dtype());
  PendingPtr state = pending(CommandWait{"gather"}, command.at);
  try {
    Block block{.runs = runs_of(command, numbers), .shape = command.shape, .dtype = command.base.dtype};
    for (const BlockRun& run : block.runs) (void)memory(run.va, run.bytes, told(command, run), command.at);
    const PendingPtr loaded = load_block(std::move(block), command.at);
    state->complete(loaded->observe(), {});
  } catch (const Error&) {
    state->fail(std::current_exception());
  }
  return state;
}

}  // namespace kbsim::mock
