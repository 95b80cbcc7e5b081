#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace kbsim::config {

/// The operation that an algorithm's kernel performs; ccl::collective() defines each.
enum class Collective { all_reduce, all_gather, reduce_scatter, broadcast, reduce, all_to_all, sendrecv };

/// Their names, in the order of the enum.
inline constexpr auto kCollectives = std::to_array<std::string_view>(
    {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "sendrecv"});

[[nodiscard]] constexpr std::string_view to_string(Collective collective) {
  return kCollectives[static_cast<std::size_t>(collective)];
}

}  // namespace kbsim::config
