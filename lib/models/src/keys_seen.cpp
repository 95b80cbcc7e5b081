#include "kbsim/models/keys_seen.hpp"

#include <algorithm>

namespace kbsim::models {
namespace {

// Pairs of the first n rows and their keys, where each row sees the keys up to its own.
std::int64_t pairs_up_to(std::int64_t n, std::int64_t window) {
  const std::int64_t growing = window > 0 ? std::min(n, window) : n;
  return growing * (growing + 1) / 2 + (n - growing) * growing;
}

}  // namespace

KeyRange keys_of_row(const CausalRows& attention, std::int64_t row) {
  const std::int64_t end = std::max<std::int64_t>(0, attention.keys - attention.rows + row + 1);
  const std::int64_t first = attention.window > 0 ? std::max<std::int64_t>(0, end - attention.window) : 0;
  return {.first = first, .end = end};
}

KeyRange keys_touched(const CausalRows& attention) {
  if (attention.rows == 0) return {};
  return {.first = keys_of_row(attention, 0).first, .end = attention.keys};
}

std::int64_t keys_seen(const CausalRows& attention) {
  const std::int64_t before = std::max<std::int64_t>(0, attention.keys - attention.rows);
  return pairs_up_to(attention.keys, attention.window) - pairs_up_to(before, attention.window);
}

}  // namespace kbsim::models
