#pragma once

#include <memory>
#include <source_location>

#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/load_transfer.hpp"
#include "kbsim/hw/pe/store_transfer.hpp"

/// The steps that memory commands share once it is their turn.
namespace kbsim::hw {

/// A command takes its turn and passes the MMU, which adds IMmu::latency(); returns the time at which it has.
[[nodiscard]] Time translated(KernelContext& pe, const std::source_location& at);
/// Issues a load, whose tile takes its bytes now; it passes the MMU.
void submit(KernelContext& pe, const std::source_location& at, const std::shared_ptr<LoadTransfer>& load);
/// Issues a store: it leaves when it has passed the MMU and its tile is ready.
void submit(KernelContext& pe, const std::source_location& at, const std::shared_ptr<StoreTransfer>& store);

/// Submits `next` when `done` is done. `next` passes the MMU then, and is later than all other requests of
/// that time.
[[nodiscard]] Task<> submit_after(std::shared_ptr<KernelContext> pe, PendingPtr done, TransferPtr next);
/// The departure of a transfer that becomes known only now: the MMU's latency, or 1 ps, from now.
[[nodiscard]] Time late_start(const KernelContext& pe);

}  // namespace kbsim::hw
