#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kbsim::inference {

/// Positions in the caches of sequences before a decode: a whole number a line of a file, or of a CSV whose
/// header has a column "context"; blank lines and those from # on don't count. UsageError with the place for
/// anything else, and for another number of them than `batch`.
[[nodiscard]] std::vector<std::int64_t> read_contexts(const std::string& file,
                                                      std::optional<std::int64_t> batch);

/// As many as `batch`, each drawn from a range such as "100-2000". UsageError if it is none.
[[nodiscard]] std::vector<std::int64_t> draw_contexts(const std::string& range, std::int64_t batch,
                                                      std::uint64_t seed);

}  // namespace kbsim::inference
