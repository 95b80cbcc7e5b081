#pragma once

#include <cstdint>

namespace kbsim::models {

/// Causal attention of `rows` queries to `keys` keys: the last query stands at the last key. A window limits
/// the keys of a row to that number, the row's own the last; 0 is none. With more queries than keys the first
/// queries see none.
struct CausalRows {
  std::int64_t rows = 1;
  std::int64_t keys = 1;
  std::int64_t window = 0;
};

/// Keys [first, end).
struct KeyRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

[[nodiscard]] KeyRange keys_of_row(const CausalRows& attention, std::int64_t row);
/// Keys that at least one row sees.
[[nodiscard]] KeyRange keys_touched(const CausalRows& attention);
/// Pairs of a row and a key that it sees.
[[nodiscard]] std::int64_t keys_seen(const CausalRows& attention);

}  // namespace kbsim::models
