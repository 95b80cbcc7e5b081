#include "kbsim/mock/pe.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/queue_memory.hpp"

namespace kbsim::mock {
namespace {

PendingPtr send_from(Pe& pe, const SendFromCommand& command) {
  const Block from = whole(command.from, command.shape, command.from.dtype);
  (void)pe.memory(command.from.va, from.in_memory(), "send, load", command.at);
  const PendingPtr loaded = pe.issue(LoadCommand{.from = from, .at = command.at});
  return pe.send(command.to, loaded->result(), command.tag, command.at);
}
KBSIM_MEMORY_OP(SendFromCommand, send_from);

}  // namespace
}  // namespace kbsim::mock
