// A load and, when its tile is there, a send: one command.
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/queue_memory.hpp"

namespace kbsim::hw {
namespace {

PendingPtr send_from(KernelContext& pe, const SendFromCommand& command) {
  const DType dtype = command.from.dtype;
  const Bytes size = command.shape.bytes(dtype);
  PendingPtr done = pe.commands().under_way(SendWait{command.to}, command.at);
  Pieces from = pe.addresses().translate(whole(command.from, command.shape, dtype), "send, load", command.at);
  SendCommand send = pe.outgoing(command.to, size, command.tag, done);
  const bool now = pe.turns().may_issue(size, command.at);
  Transfer::Origin origin = pe.origin("send", pe.commands().pending(CommandWait{"send"}, command.at));
  auto into = pe.coming(origin.value, command.shape, dtype, command.at);
  const auto load = make_pooled<LoadTransfer>(std::move(origin), std::move(from), std::move(into));
  pe.in_order(now, size, command.at, [&pe, at = command.at, load, send]() mutable {
    pe.sends().leave_with(load->origin().pending, std::move(send));
    submit(pe, at, load);
  });
  return done;
}
KBSIM_MEMORY_OP(SendFromCommand, send_from);

}  // namespace
}  // namespace kbsim::hw
