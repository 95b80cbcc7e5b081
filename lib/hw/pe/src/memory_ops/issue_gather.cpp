// Loads of the rows that a tile names.
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/tl/gather.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::hw {
namespace {

PendingPtr gather(KernelContext& pe, const GatherCommand& command) {
  pe.units().require_numbers("gather", command.at);
  PendingPtr done = pe.commands().under_way(CommandWait{"gather"}, command.at);
  const DType dtype = command.base.dtype;
  const Bytes size = command.shape.bytes(dtype);
  const bool now = pe.turns().may_issue(size, {&command.shape, dtype}, command.at);
  Transfer::Origin origin = pe.origin("gather", done);
  auto into = pe.coming(origin.value, command.shape, dtype, command.at);
  const auto load = make_pooled<LoadTransfer>(std::move(origin), Pieces{}, std::move(into));
  pe.in_order(now, size, command.at, [&pe, command, load] {
    load->into().take();
    submit(pe, command.at, by_data(pe, command, load, command.indices));
  });
  return done;
}
KBSIM_MEMORY_OP(GatherCommand, gather);

}  // namespace
}  // namespace kbsim::hw
