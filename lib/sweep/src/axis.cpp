#include "kbsim/sweep/axis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/random.hpp"

#include "sweep_words.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostValues = 1'000'000;
constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
    {{"K", 0x1p10}, {"KiB", 0x1p10}, {"M", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30}, {"GiB", 0x1p30}}};

UsageError expected(std::string_view text, std::string_view what) {
  return UsageError{fmt::format("'{}': expected {}", text, what)};
}

// FIRST..LAST, with an optional +STEP or *FACTOR.
struct Range {
  double first = 0.0;
  double last = 0.0;
  double step = 1.0;
  bool geometric = false;
  bool stepped = false;
};

double number_in(std::string_view text, std::string_view whole) {
  double number = 0.0;
  if (!read_number(trimmed(text), &number)) throw expected(whole, "numbers, as 1..9, 1..9+2 or 2..16*2");
  return number;
}

Range range_in(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::string_view rest = text.substr(dots + 2);
  const std::size_t sign = rest.find_first_of("+*", rest.starts_with('+') ? 1 : 0);
  const bool stepped = sign != std::string_view::npos;
  Range range{.first = number_in(text.substr(0, dots), text),
              .last = number_in(rest.substr(0, sign), text),
              .geometric = stepped && rest[sign] == '*',
              .stepped = stepped};
  if (stepped) range.step = number_in(rest.substr(sign + 1), text);
  const bool whole = std::floor(range.first) == range.first && std::floor(range.last) == range.last;
  if (!stepped && !whole) throw expected(text, "a step, as 0.1..0.5+0.1, or a factor, as 0.1..0.8*2");
  if (range.last < range.first) throw expected(text, "a last value that isn't below the first");
  if (range.geometric && (range.first <= 0.0 || range.step <= 1.0))
    throw expected(text, "a factor above 1 and a first value above 0");
  if (!range.geometric && range.step <= 0.0) throw expected(text, "a step above 0");
  return range;
}

// Values within a rounding error of the last one are included.
std::size_t count_of(const Range& range) {
  const double steps = range.geometric ? std::log(range.last / range.first) / std::log(range.step)
                                       : (range.last - range.first) / range.step;
  return static_cast<std::size_t>(std::min(std::floor(steps + 1e-9), 1e18)) + 1;
}

std::string value_at(const Range& range, std::size_t i) {
  const auto n = static_cast<double>(i);
  const double value = range.geometric ? range.first * std::pow(range.step, n) : range.first + range.step * n;
  const double rounded = std::round(value);
  if (std::abs(value - rounded) <= 1e-9 * std::abs(value) && std::abs(rounded) < 1e15)
    return fmt::format("{}", static_cast<std::int64_t>(rounded));
  return fmt::format("{:.12g}", value);
}

std::vector<std::string> values_of(const Range& range, std::string_view text) {
  const std::size_t n = count_of(range);
  if (n > kMostValues) throw expected(text, fmt::format("at most {} values", kMostValues));
  std::vector<std::string> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(value_at(range, i));
  return values;
}

std::vector<std::string> drawn_of(const Range& range, const Sample& sample, std::string_view text) {
  const std::size_t all = count_of(range);
  if (sample.count > std::min(all, kMostValues))
    throw expected(
        text, fmt::format("at most {} values, which are all that there are", std::min(all, kMostValues)));
  std::vector<std::string> values;
  for (const std::size_t i : drawn(all, sample.count, sample.seed)) values.push_back(value_at(range, i));
  return values;
}

// Divides text at commas outside of brackets and quotes.
std::vector<std::string_view> listed(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

bool is_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  double number = 0.0;
  return dots != std::string_view::npos && dots > 0 && read_number(trimmed(text.substr(0, dots)), &number);
}

std::vector<std::string> values_of_part(std::string_view part, std::string_view text) {
  if (part.empty()) throw expected(text, "a value between commas");
  if (!is_range(part)) return {std::string{part}};
  const std::size_t random = part.find(" random ");
  const Range range = range_in(trimmed(part.substr(0, random)));
  if (random == std::string_view::npos) return values_of(range, part);
  return drawn_of(range, sample_in(part.substr(random + 8)), part);
}

std::uint64_t natural_in(std::string_view text, std::string_view whole) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw expected(whole, "N seed S, two whole numbers, as 20 seed 1");
  return number;
}

}  // namespace

Axis axis_of(const std::string& name, const std::vector<std::string>& values, Place at) {
  const bool option = name.starts_with("--");
  Axis axis{.name = option ? name.substr(2) : name, .values = {}, .at = std::move(at)};
  for (const std::string& value : values)
    axis.values.push_back({.text = value,
                           .words = option ? std::vector<std::string>{name, value}
                                           : std::vector<std::string>{"--set", name + "=" + value}});
  return axis;
}

bool read_number(std::string_view text, double* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (error != std::errc{} || !std::isfinite(*number)) return false;
  const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  if (unit.empty()) return true;
  const auto* known = std::ranges::find(kUnits, unit, &decltype(kUnits)::value_type::first);
  if (known == kUnits.end()) return false;
  *number *= known->second;
  return true;
}

std::vector<std::string> values_in(std::string_view text) {
  std::vector<std::string> values;
  std::set<std::string, std::less<>> seen;
  for (const std::string_view part : listed(text)) {
    for (std::string& value : values_of_part(part, text)) {
      if (!seen.insert(value).second)
        throw UsageError{fmt::format("'{}': the value {} is there twice", text, value)};
      values.push_back(std::move(value));
    }
  }
  return values;
}

bool names_several(std::string_view text) { return listed(text).size() > 1 || is_range(trimmed(text)); }

std::vector<std::size_t> drawn(std::size_t all, std::size_t n, std::uint64_t seed) {
  Random random{seed};
  std::set<std::size_t> chosen;  // Floyd's draw without replacement
  for (std::size_t i = all - n; i < all; ++i) {
    const std::size_t j = random.below(i + 1);
    if (!chosen.insert(j).second) chosen.insert(i);
  }
  return {chosen.begin(), chosen.end()};
}

Sample sample_in(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 3 || words[1] != "seed") throw expected(text, "N seed S, as 20 seed 1");
  const Sample sample{.count = natural_in(words[0], text), .seed = natural_in(words[2], text)};
  if (sample.count == 0) throw expected(text, "at least one");
  return sample;
}

}  // namespace kbsim::sweep
