// The wait for the signal of a put.
#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/signal_transfer.hpp"
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/signal.hpp"

namespace kbsim::hw {
namespace {

PendingPtr wait_signal(KernelContext& pe, const SignalCommand& command) {
  const std::source_location& at = command.at;
  const DType dtype = command.word.dtype;
  pe.units().require_numbers("wait_signal", at);
  PendingPtr done = pe.commands().under_way(SignalWait{.va = command.word.va, .until = command.until}, at);
  const Pieces word = pe.addresses().translate(whole(command.word, Shape{1}, dtype), "wait_signal", at);
  if (word.size() != 1) throw fault_at(at, "wait_signal: the word lies in two memories");
  const Bytes size = word.front().memory.bytes;
  const bool now = pe.turns().may_issue(size, at);
  Transfer::Origin origin = pe.origin("wait_signal", done);
  auto into = pe.coming(origin.value, Shape{1}, dtype, at);
  const auto load =
      make_pooled<SignalTransfer>(std::move(origin), word.front(), std::move(into), command.until);
  pe.in_order(now, size, at, [&pe, at, load] { submit(pe, at, load); });
  pe.peers().add(done);
  return done;
}
KBSIM_MEMORY_OP(SignalCommand, wait_signal);

}  // namespace
}  // namespace kbsim::hw
