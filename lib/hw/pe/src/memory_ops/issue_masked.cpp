// Loads and stores of the elements whose mask is true.
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/tl/masked.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::hw {
namespace {

PendingPtr masked_load(KernelContext& pe, const MaskedLoadCommand& command) {
  pe.units().require_numbers("load with a mask", command.at);
  PendingPtr done = pe.commands().under_way(CommandWait{"load"}, command.at);
  const DType dtype = command.from.dtype;
  const Bytes size = command.shape.bytes(dtype);
  const bool now = pe.turns().may_issue(size, {&command.shape, dtype}, command.at);
  const LoadTransfer::Padding other{.value = pe.units().reserve(), .pad = command.other};
  Transfer::Origin origin = pe.origin("load", done);
  auto into = pe.coming(origin.value, command.shape, dtype, command.at);
  const auto load = make_pooled<LoadTransfer>(std::move(origin), Pieces{}, std::move(into), other);
  pe.in_order(now, size, command.at, [&pe, command, load] {
    load->into().take();
    submit(pe, command.at, by_data(pe, command, load, command.mask));
  });
  return done;
}
KBSIM_MEMORY_OP(MaskedLoadCommand, masked_load);

PendingPtr masked_store(KernelContext& pe, const MaskedStoreCommand& command) {
  pe.units().require_numbers("store with a mask", command.at);
  PendingPtr done = pe.commands().under_way(CommandWait{"store"}, command.at);
  const auto store = make_pooled<StoreTransfer>(pe.origin("store", done), Pieces{}, command.tile);
  pe.in_order(command.at, [&pe, command, store] {
    TransferByData by_mask = by_data(pe, command, store, command.mask);
    by_mask.ready = store->ready();
    by_mask.why = store->why();
    submit(pe, command.at, std::move(by_mask));
  });
  return done;
}
KBSIM_MEMORY_OP(MaskedStoreCommand, masked_store);

}  // namespace
}  // namespace kbsim::hw
