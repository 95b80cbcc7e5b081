#include <algorithm>

#include "kbsim/mock/pe.hpp"
#include "kbsim/tl/copy.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::mock {
namespace {

PendingPtr copy(Pe& pe, const CopyCommand& command) {
  const Bytes size = command.shape.bytes(command.from.dtype);
  const std::span<const std::byte> from = pe.memory(command.from.va, size, "copy, load", command.at);
  const std::vector<std::byte> read{from.begin(), from.end()};  // blocks may overlap
  std::ranges::copy(read, pe.memory(command.to.va, size, "copy, store", command.at).begin());
  return pe.done("copy", nullptr, command.at);
}
KBSIM_MEMORY_OP(CopyCommand, copy);

}  // namespace
}  // namespace kbsim::mock
