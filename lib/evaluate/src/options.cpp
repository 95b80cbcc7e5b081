#include "kbsim/evaluate/options.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"

namespace kbsim::evaluate {

void Options::set(std::string name, OptionValue value, bool given) {
  entries_.insert_or_assign(std::move(name), Entry{.value = std::move(value), .given = given});
}

const Options::Entry& Options::entry(std::string_view name) const {
  const auto found = entries_.find(name);
  ensure(found != entries_.end(), [&] { return "no option --" + std::string{name}; });
  return found->second;
}

const OptionValue& Options::value(std::string_view name) const { return entry(name).value; }

std::string Options::text(std::string_view name) const {
  const std::string* text = std::get_if<std::string>(&value(name));
  return text == nullptr ? "" : *text;
}

std::int64_t Options::number(std::string_view name) const {
  const std::int64_t* number = std::get_if<std::int64_t>(&value(name));
  ensure(number != nullptr, [&] { return "--" + std::string{name} + " is no number"; });
  return *number;
}

std::int64_t Options::number(std::string_view name, std::int64_t least, std::int64_t most) const {
  const std::int64_t value = number(name);
  if (value >= least && value <= most) return value;
  throw UsageError{fmt::format("--{} must be {} to {}, got {}", name, least, most, value)};
}

std::size_t Options::choice(std::string_view name, const std::vector<std::string_view>& of) const {
  const std::string chosen = text(name);
  const auto found = std::ranges::find(of, chosen);
  if (found != of.end()) return static_cast<std::size_t>(found - of.begin());
  const auto but_last = std::span{of}.first(of.size() - 1);
  throw UsageError{
      fmt::format("--{} {}: expected {} or {}", name, chosen, fmt::join(but_last, ", "), of.back())};
}

bool Options::given(std::string_view name) const { return entry(name).given; }

}  // namespace kbsim::evaluate
