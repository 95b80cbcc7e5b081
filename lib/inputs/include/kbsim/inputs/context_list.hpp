#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace kbsim::inputs {

struct ContextLimits {
  std::optional<std::int64_t> batch;  // the number of contexts; none: from 1 to 256
  std::int64_t positions = 0;         // that the model has for a context and the next token; 0: any number
};

/// Positions in the caches of sequences before a decode: a whole number a line of a file, or of a CSV whose
/// header has a column "context"; blank lines and those from # on don't count. InputError with file and line
/// for anything else, for a context beyond the model's positions, and for another number of them than
/// `batch`.
[[nodiscard]] std::vector<std::int64_t> read_contexts(const std::filesystem::path& file,
                                                      const ContextLimits& limits);

}  // namespace kbsim::inputs
