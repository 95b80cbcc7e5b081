#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kbsim::sweep {

/// "I/N": every N-th of `points` points, from the I-th on; "": all of them. UsageError for other texts.
[[nodiscard]] std::vector<std::size_t> shard_of(const std::string& text, std::size_t points);

/// "N%", above 0 and at most 100, as a share of 1; 0 for "". UsageError for other texts.
[[nodiscard]] double verified_share(const std::string& text);

/// At most `most` of `all` indices, spread as far as possible, with the first and the last.
[[nodiscard]] std::vector<std::size_t> spread(std::size_t all, std::size_t most);

}  // namespace kbsim::sweep
