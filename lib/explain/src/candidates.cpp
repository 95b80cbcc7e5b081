// Changes that may shorten a path.
#include "kbsim/explain/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

constexpr double kLeastGain = 0.005;   // of the path's length
constexpr double kMattersShare = 0.1;  // likewise

double share_of(Time part, Time all) {
  return all > Time{0} ? static_cast<double>(part.count()) / static_cast<double>(all.count()) : 0.0;
}

// A tenth better; whole cycles, and no finer than a value that a file would have.
double bettered(const Derivative& key) {
  const double to = key.value * (key.is_rate() ? 1.1 : 0.9);
  if (grid_of(key.unit) == Grid::cycles) return std::min(std::round(to), key.value - 1.0);
  return std::stod(fmt::format("{:.6g}", to));
}

void add_keys(std::vector<Candidate>& all, const Explanation& what) {
  for (const Derivative& key : what.keys) {
    const double to = bettered(key);
    if (to < 0.0) continue;
    Candidate candidate{.key = key.key, .value = key.value, .to = to, .estimated = key.change(to)};
    if (share_of(-candidate.estimated, what.path.length()) >= kLeastGain) all.push_back(std::move(candidate));
  }
}

void add_count(std::vector<Candidate>& all, const Explanation& what, const CountKey& count,
               hw::Reason reason) {
  const Time wait = what.path.waits[static_cast<std::size_t>(reason)];
  if (count.key.empty() || share_of(wait, what.path.length()) < kMattersShare) return;
  const Time hidden = during(what.path, reason)[WorkClass::latency];
  for (const double times : {2.0, 4.0}) {
    const auto left = static_cast<std::int64_t>(static_cast<double>(hidden.count()) / times);
    const double power = std::exp2(std::floor(std::log2(count.value)));
    all.push_back(
        {.key = count.key, .value = count.value, .to = power * times, .estimated = Time{left} - hidden});
  }
}

// A tile of twice the extent reads the other operand half as often.
void add_tiles(std::vector<Candidate>& all, const Explanation& what, const std::vector<CountKey>& tiles) {
  Time at_ports{};
  for (const Share& reason : what.reasons) {
    if (reason.name.ends_with("memory port")) at_ports += reason.time;
  }
  if (share_of(at_ports, what.path.length()) < kMattersShare) return;
  for (const CountKey& tile : tiles)
    all.push_back({.key = tile.key,
                   .value = tile.value,
                   .to = 2.0 * tile.value,
                   .estimated = Time{-at_ports.count() / 4}});
}

}  // namespace

Counts counts_on(const Path& path, const hw::Machine& machine, Counts counts) {
  if (composites_on(path, machine).empty()) counts.tiles.clear();
  return counts;
}

std::vector<Candidate> candidates_of(const Explanation& what, const Counts& counts) {
  std::vector<Candidate> all;
  add_count(all, what, counts.slots, hw::Reason::slot_free);
  add_count(all, what, counts.requests, hw::Reason::window_free);
  add_tiles(all, what, counts.tiles);
  add_keys(all, what);
  std::ranges::sort(all, {}, [](const Candidate& one) { return std::tuple{one.estimated, one.key, one.to}; });
  return all;
}

}  // namespace kbsim::explain
