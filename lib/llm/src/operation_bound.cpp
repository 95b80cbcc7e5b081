#include "kbsim/llm/operation_bound.hpp"

#include <algorithm>

namespace kbsim::inference {

Roofline roofline(const BoundTimes& needed, Time taken) {
  const auto longest = std::ranges::max_element(needed);
  if (taken > 2 * *longest) return {.bound = Bound::latency, .time = *longest};
  return {.bound = static_cast<Bound>(longest - needed.begin()), .time = *longest};
}

}  // namespace kbsim::inference
