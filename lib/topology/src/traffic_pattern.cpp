#include "kbsim/topology/traffic_pattern.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

using Favourites = std::vector<std::size_t>;

[[noreturn]] void refuse_pattern(std::string_view pattern, const std::string& why) {
  throw UsageError{fmt::format("--pattern {}: {}", pattern, why)};
}

// Each source's favourite sink, by a rule.
Favourites each(const TrafficNetwork& network, const std::function<std::size_t(std::size_t)>& rule) {
  return views::indices(network.sources.size()) | views::transform(rule) | ranges::to<std::vector>;
}

std::size_t middle(const TrafficNetwork& network) { return network.at(network.w / 2, network.h / 2); }

Favourites transpose(const TrafficNetwork& network) {
  if (network.w != network.h)
    refuse_pattern("transpose", fmt::format("expected as many rows as columns, the scope has {} and {}",
                                            counted(network.w, "column"), counted(network.h, "row")));
  const auto w = static_cast<std::size_t>(network.w);
  return each(network, [w](std::size_t i) { return i % w * w + i / w; });
}

Favourites neighbour(const TrafficNetwork& network) {
  const auto w = static_cast<std::size_t>(network.w);
  const auto n = network.sinks.size();
  if (w == 1) return each(network, [n](std::size_t i) { return (i + 1) % n; });
  return each(network, [w](std::size_t i) { return i / w * w + (i + 1) % w; });
}

// Fisher-Yates shuffle.
Favourites permutation(const TrafficNetwork& network, std::uint64_t seed) {
  auto order = views::indices(network.sinks.size()) | ranges::to<std::vector>;
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

// An index row by row, or X,Y; the middle if none is given.
std::size_t node_named(const TrafficNetwork& network, std::string_view pattern,
                       std::optional<std::string_view> text) {
  if (!text) return middle(network);
  const std::size_t comma = text->find(',');
  const std::string expected = fmt::format("a node of the scope after it, 0 to {} or X,Y up to {},{}",
                                           network.sinks.size() - 1, network.w - 1, network.h - 1);
  if (comma == std::string_view::npos) {
    const auto index = number<std::size_t>(pattern, *text, expected);
    if (index >= network.sinks.size()) refuse_pattern(pattern, "expected " + expected);
    return index;
  }
  const int x = number<int>(pattern, text->substr(0, comma), expected);
  const int y = number<int>(pattern, text->substr(comma + 1), expected);
  if (x < 0 || x >= network.w || y < 0 || y >= network.h) refuse_pattern(pattern, "expected " + expected);
  return network.at(x, y);
}

double share(std::string_view pattern, std::string_view text) {
  const std::string expected = "a share above 0 and at most 1 after it, e.g. hotspot:0.2";
  const auto p = number<double>(pattern, text, expected);
  if (!(p > 0.0 && p <= 1.0)) refuse_pattern(pattern, "expected " + expected);
  return p;
}

// An argument after a pattern's name, between its colons.
std::optional<std::string_view> argument(std::string_view text, int which) {
  for (int i = 0; i <= which; ++i) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    text.remove_prefix(colon + 1);
  }
  return which == 0 ? text.substr(0, text.find(':')) : text;
}

TrafficPattern parse(const TrafficNetwork& network, std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const std::optional<std::string_view> first = argument(text, 0);
  const std::optional<std::string_view> second = argument(text, 1);
  const auto to_one = [&](std::optional<std::string_view> node) {
    const std::size_t one = node_named(network, text, node);
    return each(network, [one](std::size_t) { return one; });
  };
  if (name == "hotspot") return {.focus = share(text, first.value_or("")), .favourite = to_one(second)};
  if (name == "permutation" && !second)
    return {.focus = 1.0,
            .favourite = permutation(network, number<std::uint64_t>(text, first.value_or(""),
                                                                    "a seed after it, e.g. permutation:1"))};
  if (name == "all-to-one" && !second) return {.focus = 1.0, .favourite = to_one(first)};
  if (!first && name == "uniform") return {};
  if (!first && name == "transpose") return {.focus = 1.0, .favourite = transpose(network)};
  if (!first && name == "neighbour") return {.focus = 1.0, .favourite = neighbour(network)};
  refuse_pattern(text, "no such pattern" + name_hint(name, pattern_forms()));
}

bool is_own(const TrafficNetwork& network, std::size_t source, std::size_t sink) {
  return network.sinks[sink] == network.sources[source];
}

void check_size(const TrafficNetwork& network, const TrafficMatrix& matrix) {
  const TrafficMatrix::Row& first = matrix.rows.front();
  if (first.rates.size() != network.sinks.size())
    throw UsageError{fmt::format("{}:{}: {}, expected {}, one for each endpoint of the scope", matrix.source,
                                 first.line, counted(first.rates.size(), "number"), network.sinks.size())};
  if (matrix.rows.size() != network.sources.size())
    throw UsageError{fmt::format("{}:{}: {}, expected {}, one for each endpoint of the scope", matrix.source,
                                 matrix.rows.back().line, counted(matrix.rows.size(), "row"),
                                 network.sources.size())};
}

// A row without the entries that don't count, and its total rate.
std::pair<TrafficPattern::Row, double> row_of(const TrafficNetwork& network, std::size_t source,
                                              const std::vector<double>& rates, ToSelf to_self) {
  TrafficPattern::Row row;
  double sum = 0.0;
  for (const auto& [sink, rate] : views::enumerate(rates)) {
    if (rate == 0.0 || (to_self == ToSelf::none && is_own(network, source, sink))) continue;
    row.sinks.push_back(sink);
    row.upto.push_back(sum += rate);
  }
  for (double& upto : row.upto) upto /= sum;
  return {std::move(row), sum};
}

TrafficPattern by_matrix(const TrafficNetwork& network, const TrafficMatrix& matrix, ToSelf to_self) {
  check_size(network, matrix);
  TrafficPattern pattern;
  for (const auto& [source, rates] : views::enumerate(matrix.rows)) {
    auto [row, sum] = row_of(network, source, rates.rates, to_self);
    pattern.rows.push_back(std::move(row));
    pattern.weights.push_back(sum);
  }
  return pattern;
}

bool is_silent(const TrafficNetwork& network, const TrafficPattern& pattern, std::size_t source,
               ToSelf to_self) {
  bool own = false;
  bool others = false;
  pattern.each_target(source, network.sinks.size(), [&](std::size_t sink, double share) {
    if (share > 0.0) (is_own(network, source, sink) ? own : others) = true;
  });
  if (others) return false;
  // With `random`, a source is silent if its pattern leaves it no target but itself.
  const bool chosen = pattern.focus == 1.0 || !pattern.rows.empty();
  return !own || (chosen && to_self != ToSelf::all) || to_self == ToSelf::none;
}

TrafficPattern pattern_with(const TrafficNetwork& network, const TrafficSetup& setup, ToSelf to_self) {
  const bool of_file = setup.matrix != nullptr;
  TrafficPattern pattern =
      of_file ? by_matrix(network, *setup.matrix, to_self) : parse(network, setup.pattern);
  pattern.others_only = to_self == ToSelf::none && network.sources == network.sinks;
  double sum = 0.0;
  for (std::size_t i = 0; i < network.sources.size(); ++i) {
    if (is_silent(network, pattern, i, to_self)) continue;
    pattern.active.push_back(i);
    sum += pattern.weight(i);
  }
  if (pattern.active.empty())
    refuse_pattern(setup.pattern, "no endpoint sends: each of the scope's endpoints is its own target");
  if (of_file) {
    pattern.rate = sum / static_cast<double>(pattern.active.size());
    for (double& weight : pattern.weights) weight /= pattern.rate;
  }
  return pattern;
}

}  // namespace

std::size_t TrafficPattern::draw(std::size_t source, std::size_t sinks, Random& random) const {
  if (!rows.empty()) {
    const Row& row = rows[source];
    const auto found = std::ranges::upper_bound(row.upto, random.uniform());
    return row.sinks[std::min<std::size_t>(static_cast<std::size_t>(found - row.upto.begin()),
                                           row.sinks.size() - 1)];
  }
  if (focus == 1.0 || (focus > 0.0 && random.uniform() < focus)) {
    if (!others_only || favourite[source] != source) return favourite[source];
  }
  if (!others_only) return random.below(sinks);
  const std::size_t other = random.below(sinks - 1);
  return other < source ? other : other + 1;
}

void TrafficPattern::each_target(std::size_t source, std::size_t sinks,
                                 const std::function<void(std::size_t, double)>& call) const {
  if (!rows.empty()) {
    double before = 0.0;
    for (const auto& [sink, upto] : views::zip(rows[source].sinks, rows[source].upto))
      call(sink, upto - std::exchange(before, upto));
    return;
  }
  const bool own_favourite = others_only && focus > 0.0 && favourite[source] == source;
  if (focus > 0.0 && !own_favourite) call(favourite[source], focus);
  const double left = own_favourite ? 1.0 : 1.0 - focus;
  if (left == 0.0 || focus == 1.0 || (others_only && sinks == 1)) return;
  const double each = left / static_cast<double>(others_only ? sinks - 1 : sinks);
  for (std::size_t sink = 0; sink < sinks; ++sink) {
    if (!others_only || sink != source) call(sink, each);
  }
}

ToSelf to_self_named(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames{"random", "all", "none"};
  const auto* const found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<ToSelf>(found - kNames.begin());
  throw UsageError{fmt::format("--to-self {}: expected random, all or none{}", name,
                               name_hint(name, {kNames.begin(), kNames.end()}))};
}

std::vector<std::string> pattern_forms() {
  return {"uniform",         "transpose", "hotspot:P",        "hotspot:P:NODE", "all-to-one",
          "all-to-one:NODE", "neighbour", "permutation:SEED", "file:NAME"};
}

TrafficPattern traffic_pattern(const TrafficNetwork& network, const TrafficSetup& setup) {
  TrafficPattern pattern = pattern_with(network, setup, setup.to_self);
  if (setup.to_self == ToSelf::random) return pattern;
  const TrafficPattern usual = pattern_with(network, setup, ToSelf::random);
  if (pattern.active == usual.active && own_share(network, pattern) == own_share(network, usual))
    throw UsageError{fmt::format("--to-self {}: has no effect on {} in this scope",
                                 setup.to_self == ToSelf::all ? "all" : "none", setup.pattern)};
  return pattern;
}

TrafficPattern traffic_pattern(const TrafficNetwork& network, std::string_view text) {
  return traffic_pattern(network, TrafficSetup{.scope = {}, .pattern = std::string{text}});
}

double own_share(const TrafficNetwork& network, const TrafficPattern& pattern) {
  double own = 0.0;
  for (const std::size_t source : pattern.active) {
    pattern.each_target(source, network.sinks.size(), [&](std::size_t sink, double share) {
      if (is_own(network, source, sink)) own += pattern.weight(source) * share;
    });
  }
  return own / static_cast<double>(pattern.active.size());
}

}  // namespace kbsim::topology
