#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kbsim::sweep {

/// "I/N": every N-th of so many points, from the I-th on; all of them for "". UsageError for what is none.
[[nodiscard]] std::vector<std::size_t> shard_of(const std::string& text, std::size_t points);

/// "N%", above 0 and at most 100, as a share of 1; 0 for "". UsageError for what is none.
[[nodiscard]] double verified_share(const std::string& text);

/// At most so many of `all` indices, as far from each other as can be, the first and the last among them.
[[nodiscard]] std::vector<std::size_t> spread(std::size_t all, std::size_t most);

}  // namespace kbsim::sweep
