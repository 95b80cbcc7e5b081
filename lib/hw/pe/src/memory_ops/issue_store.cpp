#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::hw {
namespace {

PendingPtr store(KernelContext& pe, const StoreCommand& command) {
  PendingPtr done = pe.commands().under_way(CommandWait{"store"}, command.at);
  Pieces pieces = pe.addresses().translate(command.to, "store", command.at);
  const auto store = make_pooled<StoreTransfer>(pe.origin("store", done), std::move(pieces), command.tile);
  pe.in_order(command.at, [&pe, at = command.at, store] { submit(pe, at, store); });
  return done;
}
KBSIM_MEMORY_OP(StoreCommand, store);

}  // namespace
}  // namespace kbsim::hw
