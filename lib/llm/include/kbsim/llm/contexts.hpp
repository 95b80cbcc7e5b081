#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kbsim::inference {

/// Positions in the caches of sequences before a decode, as --contexts names them. "uniform:100-2000": as
/// many as `batch` (1), each drawn from 100 to 2000 by the seed. Else a file: a whole number a line, or a CSV
/// whose header has a column "context"; blank lines and those from # on don't count. UsageError with the
/// place for anything else, and if the file has another number of sequences than `batch`.
[[nodiscard]] std::vector<std::int64_t> contexts_of(const std::string& named,
                                                    std::optional<std::int64_t> batch, std::uint64_t seed);

}  // namespace kbsim::inference
