// How the mock carries out load_strided: at once, as a load of the same bytes.
#include <kbsim/mock/pe.hpp>
#include <kbsim/tl/load_store.hpp>

#include "strided.hpp"

namespace mine {
namespace {

using namespace kbsim;
using mock::memory_ops;

PendingPtr load(mock::Pe& pe, const StridedCommand& command) {
  const Block from = block_of(command);
  for (const BlockRun& run : from.runs) (void)pe.memory(run.va, run.bytes, "load_strided", command.at);
  return pe.issue(LoadCommand{.from = from, .at = command.at});
}
KBSIM_MEMORY_OP(StridedCommand, load);

}  // namespace
}  // namespace mine
