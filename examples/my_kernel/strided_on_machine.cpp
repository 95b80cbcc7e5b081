// How the machine carries out load_strided: one transfer of the DMA, a request for each row. Values and room
// in the TCM are reserved when the kernel asks; the transfer begins when it is the command's turn.
#include <memory>
#include <utility>

#include <kbsim/hw/pe/submit.hpp>

#include "strided.hpp"

namespace mine {
namespace {

using namespace kbsim;
using hw::KernelContext, hw::LoadTransfer, hw::memory_ops;

PendingPtr load(KernelContext& pe, const StridedCommand& command) {
  const Block from = block_of(command);
  PendingPtr done = pe.commands().under_way(CommandWait{"load_strided"}, command.at);
  hw::Pieces pieces = pe.addresses().translate(from, "load_strided", command.at);
  const bool now = pe.turns().may_issue(from.in_memory(), {&from.shape, from.dtype}, command.at);
  LoadTransfer::Origin origin = pe.origin("load_strided", done);
  auto into = pe.coming(origin.value, from.shape, from.dtype, command.at);
  const auto load = std::make_shared<LoadTransfer>(std::move(origin), std::move(pieces), std::move(into));
  pe.in_order(now, from.in_memory(), command.at, [&pe, at = command.at, load] { submit(pe, at, load); });
  return done;
}
KBSIM_MEMORY_OP(StridedCommand, load);

}  // namespace
}  // namespace mine
