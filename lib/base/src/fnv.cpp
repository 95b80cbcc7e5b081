#include "kbsim/base/fnv.hpp"

#include "fnv_blocks.hpp"

namespace kbsim {

std::uint64_t fnv1a(std::uint64_t state, std::span<const std::byte> bytes) {
  const std::size_t whole = has_fnv_blocks() ? bytes.size() / kFnvBlock * kFnvBlock : 0;
  if (whole > 0) state = fnv_blocks(state, bytes.first(whole));
  for (const std::byte byte : bytes.subspan(whole)) state = fnv1a(state, byte);
  return state;
}

}  // namespace kbsim
