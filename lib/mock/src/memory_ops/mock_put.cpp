// A store and its signal, with no other kernel's command between them.
#include "kbsim/mock/pe.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/signal.hpp"

namespace kbsim::mock {
namespace {

PendingPtr put(Pe& pe, const PutCommand& command) {
  const TileState& tile = *command.tile;
  const Block to = whole(command.to, tile.shape(), tile.dtype());
  (void)pe.memory(command.to.va, to.in_memory(), "put", command.at);
  const Ptr word = command.signal.to;
  (void)pe.memory(word.va, Bytes{itemsize(word.dtype)}, "signal of put", command.at);
  (void)pe.issue(StoreCommand{.to = to, .tile = command.tile, .at = command.at});
  (void)pe.issue(command.signal);
  return pe.done("put", nullptr, command.at);
}
KBSIM_MEMORY_OP(PutCommand, put);

}  // namespace
}  // namespace kbsim::mock
