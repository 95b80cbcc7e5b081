#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::hw {
namespace {

PendingPtr load(KernelContext& pe, const LoadCommand& command) {
  const Block& from = command.from;
  PendingPtr done = pe.commands().under_way(CommandWait{"load"}, command.at);
  Pieces pieces = pe.addresses().translate(from, "load", command.at);
  const Bytes size = from.shape.bytes(from.dtype);
  const bool now = pe.turns().may_issue(size, {&from.shape, from.dtype}, command.at);
  LoadTransfer::Padding padding{.value = {}, .pad = from.pad};
  if (from.in_memory() < size) padding.value = pe.units().reserve();
  Transfer::Origin origin = pe.origin("load", done);
  auto into = pe.coming(origin.value, from.shape, from.dtype, command.at);
  const auto load = make_pooled<LoadTransfer>(std::move(origin), std::move(pieces), std::move(into), padding);
  pe.in_order(now, size, command.at, [&pe, at = command.at, load] { submit(pe, at, load); });
  return done;
}
KBSIM_MEMORY_OP(LoadCommand, load);

}  // namespace
}  // namespace kbsim::hw
