#include "stream.hpp"

#include "kbsim/hw/pe/kernel_context.hpp"

namespace kbsim::hw {

std::optional<oplog::MemoryAccess> StreamTransfer::access() const {
  return oplog::MemoryAccess{.op = origin().value,
                             .write = !in_,
                             .call = origin().call,
                             .at = at_,
                             .kernel = origin().kernel->kernel()};
}

}  // namespace kbsim::hw
