#include "kbsim/mock/pe.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/signal.hpp"

#include "../mock_signals.hpp"

namespace kbsim::mock {
namespace {

PendingPtr wait_signal(Pe& pe, const SignalCommand& command) {
  const Bytes size{itemsize(command.word.dtype)};
  const std::span<const std::byte> word = pe.memory(command.word.va, size, "wait_signal", command.at);
  PendingPtr state = pe.pending(SignalWait{.va = command.word.va, .until = command.until}, command.at);
  pe.signals().wait(command, word, state);
  return state;
}
KBSIM_MEMORY_OP(SignalCommand, wait_signal);

}  // namespace
}  // namespace kbsim::mock
