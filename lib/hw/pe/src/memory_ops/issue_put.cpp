// A store and, when it is done, an atomic.
#include "kbsim/hw/pe/atomic_transfer.hpp"
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/signal.hpp"

namespace kbsim::hw {
namespace {

PendingPtr put(KernelContext& pe, const PutCommand& command) {
  PendingPtr done = pe.commands().under_way(CommandWait{"put"}, command.at);
  const Block to = whole(command.to, command.tile->shape(), command.tile->dtype());
  Pieces pieces = pe.addresses().translate(to, "put", command.at);
  PendingPtr stored = pe.commands().pending(CommandWait{"put"}, command.at);
  const auto store =
      make_pooled<StoreTransfer>(pe.origin("put", std::move(stored)), std::move(pieces), command.tile);
  const std::shared_ptr<AtomicTransfer> signal =
      atomic_transfer(pe, command.signal, "signal of put", "put", done);
  const Bytes size{itemsize(command.signal.to.dtype)};
  const bool now = pe.turns().may_issue(size, command.at);
  pe.in_order(now, size, command.at, [&pe, at = command.at, store, signal] {
    signal->into().take();
    const PendingPtr& stored = store->origin().pending;
    (void)pe.units().sim->serve("put", submit_after(pe.shared_from_this(), stored, signal));
    submit(pe, at, store);
  });
  return done;
}
KBSIM_MEMORY_OP(PutCommand, put);

}  // namespace
}  // namespace kbsim::hw
