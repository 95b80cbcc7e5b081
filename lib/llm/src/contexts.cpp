#include "kbsim/llm/contexts.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/random.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim::inference {
namespace {

constexpr std::int64_t kMostContext = 1048576;

std::optional<std::int64_t> context_in(std::string_view text, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number >= 1 && number <= most ? std::optional{number} : std::nullopt;
}

}  // namespace

std::vector<std::int64_t> draw_contexts(const std::string& range, std::int64_t batch, std::uint64_t seed,
                                        std::int64_t positions) {
  const std::int64_t most = positions == 0 ? kMostContext : std::min(kMostContext, positions - 1);
  const std::string_view text = range;
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::optional<std::int64_t> low = context_in(text.substr(0, dash), most);
  const std::optional<std::int64_t> high = context_in(text.substr(std::min(dash + 1, text.size())), most);
  if (!low || !high || *low > *high)
    throw UsageError{fmt::format(
        "--drawn-contexts: found '{}', expected a range such as 100-2000, from 1 to {}{}", harmless(range),
        most, most < kMostContext ? " (one position less than max_position_embeddings)" : "")};
  Random random{seed};
  std::vector<std::int64_t> contexts;
  for (std::int64_t i = 0; i < batch; ++i)
    contexts.push_back(*low +
                       static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(*high - *low + 1))));
  return contexts;
}

}  // namespace kbsim::inference
