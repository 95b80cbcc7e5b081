#pragma once

#include <cstddef>

namespace kbsim::ccl {

/// A rank's, thread block's or chunk's number as an index.
[[nodiscard]] constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace kbsim::ccl
