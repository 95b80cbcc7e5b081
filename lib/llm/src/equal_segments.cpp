#include "kbsim/llm/equal_segments.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::inference {
namespace {

std::string with_addresses(std::string key, const std::vector<std::uint64_t>& addresses,
                           std::int64_t period) {
  if (period == 1) return key;
  for (const std::uint64_t address : addresses)
    key += fmt::format(" {:x}", address % static_cast<std::uint64_t>(period));
  return key;
}

}  // namespace

EqualSegments::Begun EqualSegments::begin(std::string key, const std::vector<std::uint64_t>& addresses) {
  Begun begun{.border = repeats_.border()};
  if (!begun.border) return begun;
  if (counts_.refused.empty()) counts_.refused = begun.border->refused;
  begun.key = with_addresses(std::move(key), addresses, begun.border->addresses);
  const auto [first, last] = known_.equal_range(begun.key);
  const auto equal = std::find_if(first, last, [&](const auto& known) {
    return hw::Repeats::can_repeat(known.second.work, *begun.border);
  });
  if (equal != last) begun.equal = &equal->second;
  return begun;
}

void EqualSegments::skipped(const Begun& begun) {
  repeats_.repeat(begun.equal->work);
  ++counts_.repeated;
}

void EqualSegments::simulated(const Begun& begun, std::vector<OperationSpan> spans) {
  ++counts_.simulated;
  if (!begun.border) return;
  std::optional<hw::BorderState> end = repeats_.border();
  if (begun.equal == nullptr) {
    if (end && begun.border->refused.empty())
      known_.emplace(begun.key, Known{{*begun.border, std::move(*end)}, std::move(spans)});
    return;
  }
  const std::string difference = end ? repeats_.difference(begun.equal->work, {*begun.border, *end})
                                     : "something is under way at its end";
  if (!difference.empty())
    throw InternalError{
        fmt::format("--verify-repeats: {} at {} equals an earlier one, and differs from it: {}", begun.key,
                    to_string(begun.border->at), difference)};
  ++counts_.repeated;
}

}  // namespace kbsim::inference
