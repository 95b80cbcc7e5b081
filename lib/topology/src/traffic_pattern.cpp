#include "kbsim/topology/traffic_pattern.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim::topology {
namespace {

using Favourites = std::vector<std::size_t>;

[[noreturn]] void refuse_pattern(std::string_view pattern, const std::string& why) {
  throw UsageError{fmt::format("--pattern {}: {}", pattern, why)};
}

// The sink that each source likes best, by a rule.
Favourites each(const TrafficNetwork& network, const std::function<std::size_t(std::size_t)>& rule) {
  Favourites all(network.sources.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = rule(i);
  return all;
}

std::size_t middle(const TrafficNetwork& network) { return network.at(network.w / 2, network.h / 2); }

Favourites transpose(const TrafficNetwork& network) {
  if (network.w != network.h)
    refuse_pattern("transpose",
                   fmt::format("expected as many rows as columns, the scope has {} columns and {} rows",
                               network.w, network.h));
  const auto w = static_cast<std::size_t>(network.w);
  return each(network, [w](std::size_t i) { return i % w * w + i / w; });
}

Favourites neighbour(const TrafficNetwork& network) {
  const auto w = static_cast<std::size_t>(network.w);
  const auto n = network.sinks.size();
  if (w == 1) return each(network, [n](std::size_t i) { return (i + 1) % n; });
  return each(network, [w](std::size_t i) { return i / w * w + (i + 1) % w; });
}

// Fisher and Yates.
Favourites permutation(const TrafficNetwork& network, std::uint64_t seed) {
  Favourites order(network.sinks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random{seed};
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  order.resize(network.sources.size());
  return order;
}

template <class T>
T number(std::string_view pattern, std::string_view text, const std::string& expected) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    refuse_pattern(pattern, "expected " + expected);
  return value;
}

double share(std::string_view pattern, std::string_view text) {
  const std::string expected = "a share above 0 and at most 1 behind it, e.g. hotspot:0.2";
  const auto p = number<double>(pattern, text, expected);
  if (!(p > 0.0 && p <= 1.0)) refuse_pattern(pattern, "expected " + expected);
  return p;
}

TrafficPattern parse(const TrafficNetwork& network, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view argument = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const bool has_argument = colon != std::string_view::npos;
  const auto to_middle = [&] { return each(network, [&](std::size_t) { return middle(network); }); };
  if (name == "hotspot") return {.focus = share(text, argument), .favourite = to_middle()};
  if (name == "permutation")
    return {.focus = 1.0,
            .favourite = permutation(
                network, number<std::uint64_t>(text, argument, "a seed behind it, e.g. permutation:1"))};
  if (!has_argument && name == "uniform") return {};
  if (!has_argument && name == "transpose") return {.focus = 1.0, .favourite = transpose(network)};
  if (!has_argument && name == "all-to-one") return {.focus = 1.0, .favourite = to_middle()};
  if (!has_argument && name == "neighbour") return {.focus = 1.0, .favourite = neighbour(network)};
  refuse_pattern(text, "no such pattern" + name_hint(name, pattern_forms()));
}

bool is_silent(const TrafficNetwork& network, const TrafficPattern& pattern, std::size_t source) {
  return pattern.focus == 1.0 && network.sinks[pattern.favourite[source]] == network.sources[source];
}

}  // namespace

std::size_t TrafficPattern::draw(std::size_t source, std::size_t sinks, Random& random) const {
  if (focus == 1.0 || (focus > 0.0 && random.uniform() < focus)) return favourite[source];
  return random.below(sinks);
}

std::vector<std::string> pattern_forms() {
  return {"uniform", "transpose", "hotspot:P", "all-to-one", "neighbour", "permutation:SEED"};
}

TrafficPattern traffic_pattern(const TrafficNetwork& network, std::string_view text) {
  TrafficPattern pattern = parse(network, text);
  for (std::size_t i = 0; i < network.sources.size(); ++i) {
    if (!is_silent(network, pattern, i)) pattern.active.push_back(i);
  }
  if (pattern.active.empty())
    refuse_pattern(text, "nobody sends: each of the scope's endpoints is its own target");
  return pattern;
}

}  // namespace kbsim::topology
