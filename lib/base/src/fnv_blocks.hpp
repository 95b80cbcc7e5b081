#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kbsim {

/// Bytes of a block: fnv_blocks() takes whole multiples, and needs this memory.
inline constexpr std::size_t kFnvBlock = 16384;

/// Whether this processor can do it.
[[nodiscard]] bool has_fnv_blocks();

/// fnv1a() of whole blocks.
[[nodiscard]] std::uint64_t fnv_blocks(std::uint64_t state, std::span<const std::byte> blocks);

}  // namespace kbsim
