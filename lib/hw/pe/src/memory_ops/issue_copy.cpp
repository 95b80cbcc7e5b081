// A load and, when its tile is there, a store: two transfers, one command.
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/copy.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::hw {
namespace {

PendingPtr copy(KernelContext& pe, const CopyCommand& command) {
  const DType dtype = command.from.dtype;
  PendingPtr done = pe.commands().under_way(CommandWait{"copy"}, command.at);
  Pieces from = pe.addresses().translate(whole(command.from, command.shape, dtype), "copy, load", command.at);
  Pieces to = pe.addresses().translate(whole(command.to, command.shape, dtype), "copy, store", command.at);
  const Bytes size = command.shape.bytes(dtype);
  const bool now = pe.turns().may_issue(size, {&command.shape, dtype}, command.at);
  Transfer::Origin origin = pe.origin("copy", pe.commands().pending(CommandWait{"copy"}, command.at));
  const auto tile = pe.coming(origin.value, command.shape, dtype, command.at);
  const auto load = make_pooled<LoadTransfer>(std::move(origin), std::move(from), tile);
  const auto store = make_pooled<StoreTransfer>(pe.origin("copy", done), std::move(to), tile);
  pe.in_order(now, size, command.at, [&pe, at = command.at, load, store] {
    const PendingPtr& loaded = load->origin().pending;
    (void)pe.units().sim->serve("copy", submit_after(pe.shared_from_this(), loaded, store));
    submit(pe, at, load);
  });
  return done;
}
KBSIM_MEMORY_OP(CopyCommand, copy);

}  // namespace
}  // namespace kbsim::hw
