#pragma once

#include <cstddef>

namespace kbsim::ccl {

/// The number of a rank, thread block or chunk as an index.
[[nodiscard]] constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace kbsim::ccl
