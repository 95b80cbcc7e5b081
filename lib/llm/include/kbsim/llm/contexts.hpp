#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kbsim::inference {

/// Positions in the caches of `batch` sequences before a decode, each drawn from a range such as "100-2000".
/// UsageError if it is none, or doesn't end before the positions that the model has (0: any number).
[[nodiscard]] std::vector<std::int64_t> draw_contexts(const std::string& range, std::int64_t batch,
                                                      std::uint64_t seed, std::int64_t positions = 0);

}  // namespace kbsim::inference
