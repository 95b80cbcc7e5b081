#pragma once

#include <cstddef>
#include <ranges>
#include <vector>

namespace kbsim::ccl {

/// The number of a rank, thread block or chunk as an index.
[[nodiscard]] constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// The numbers of a list's elements: 0, 1, ...
template <class T>
[[nodiscard]] auto numbers(const std::vector<T>& list) {
  return std::views::iota(0, static_cast<int>(list.size()));
}

}  // namespace kbsim::ccl
