#pragma once

#include <exception>
#include <source_location>
#include <span>
#include <string_view>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/mock/pe.hpp"
#include "kbsim/replay/numbers.hpp"
#include "kbsim/tl/block.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::mock {

/// Carries out a command whose block depends on the numbers of a tile, which are known at once: `move(block)`
/// gives the tile, or null. Faults are thrown where the machine throws them: at the await.
template <class Command, class Move>
PendingPtr moved_by_data(Pe& pe, const Command& command, const TilePtr& data, Move move) {
  PendingPtr state = pe.pending(CommandWait{Command::kName}, command.at);
  try {
    const auto numbers = replay::to_doubles(*static_cast<const MockTile&>(*data).value(), data->dtype());
    Block block = block_of(command, numbers);
    for (const BlockRun& run : block.runs)
      (void)pe.memory(run.va, run.bytes, described(command, run), command.at);
    state->complete(move(std::move(block)), {});
  } catch (const Error&) {
    state->fail(std::current_exception());
  }
  return state;
}

/// The tile of a load from the block, at once.
inline TilePtr loaded(Pe& pe, Block block, const std::source_location& at) {
  return pe.issue(LoadCommand{.from = std::move(block), .at = at})->observe();
}

}  // namespace kbsim::mock
