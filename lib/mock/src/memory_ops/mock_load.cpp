#include <algorithm>

#include "kbsim/mock/pe.hpp"
#include "kbsim/replay/numbers.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::mock {
namespace {

PendingPtr load(Pe& pe, const LoadCommand& command) {
  const Block& from = command.from;
  for (const BlockRun& run : from.runs)
    (void)pe.memory(run.va, run.bytes, "load", command.at);  // before any byte is read
  const std::vector<double> padding(static_cast<std::size_t>(from.shape.elements()), from.pad);
  auto bytes = std::make_shared<replay::Buffer>(replay::from_doubles(padding, from.dtype));
  for (const BlockRun& run : from.runs)
    std::ranges::copy(pe.memory(run.va, run.bytes, "load", command.at), bytes->begin() + run.offset);
  auto tile = std::make_shared<MockTile>(pe, from.shape, from.dtype, std::move(bytes));
  return pe.done("load", std::move(tile), command.at);
}
KBSIM_MEMORY_OP(LoadCommand, load);

}  // namespace
}  // namespace kbsim::mock
