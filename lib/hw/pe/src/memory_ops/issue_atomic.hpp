#pragma once

#include <memory>
#include <string_view>

#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/tl/atomic.hpp"

#include "../transfers/atomic_transfer.hpp"

namespace kbsim::hw {

/// The transfer of an atomic, in parts that memories serve whole; its tile's bytes aren't taken yet. `what`
/// names it in faults, `call` in races.
[[nodiscard]] std::shared_ptr<AtomicTransfer> atomic_transfer(KernelContext& pe, const AtomicCommand& command,
                                                              std::string_view what, std::string_view call,
                                                              PendingPtr done);

}  // namespace kbsim::hw
