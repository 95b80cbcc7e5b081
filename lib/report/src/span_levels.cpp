#include "kbsim/report/span_levels.hpp"

#include <algorithm>

namespace kbsim::report {

std::size_t SpanLevels::place_of(const hw::Taken& what) {
  const std::size_t fresh = levels_.size();
  if (what.link.valid()) {
    if (what.link.value() >= of_links_.size()) of_links_.resize(what.link.value() + 1);
    std::size_t& known = of_links_[what.link.value()];
    if (known != 0) return known - 1;
    known = fresh + 1;
  } else {
    if (what.unit.value() >= of_units_.size()) of_units_.resize(what.unit.value() + 1);
    std::vector<std::size_t>& all = of_units_[what.unit.value()];
    const auto known = std::ranges::find_if(all, [&](std::size_t i) { return levels_[i].part == what.part; });
    if (known != all.end()) return *known;
    all.push_back(fresh);
  }
  levels_.push_back({.unit = what.unit,
                     .link = what.link,
                     .part = std::string{what.part},
                     .all = what.all,
                     .series = LevelSeries{from_}});
  known_.push_back({.since = from_});
  return fresh;
}

void SpanLevels::change(std::size_t place, Time at, std::int64_t by) {
  Known& known = known_[place];
  const Time now = std::clamp(at, from_, to_);
  levels_[place].series.hold(known.since, now, known.used);
  known.since = now;
  known.used += by;
}

// Applies all returns until then.
void SpanLevels::pass(std::size_t place, Time to) {
  std::vector<std::pair<Time, std::int64_t>>& returning = known_[place].returning;
  while (!returning.empty() && returning.back().first <= to) {
    const auto [at, by] = returning.back();
    returning.pop_back();
    change(place, at, by);
  }
}

void SpanLevels::take(const hw::Taken& what) {
  const std::size_t place = place_of(what);
  if (what.change > 0) {
    pass(place, what.at);
    return change(place, what.at, what.change);
  }
  std::vector<std::pair<Time, std::int64_t>>& returning = known_[place].returning;
  const auto earlier = std::ranges::find_if(returning, [&](const auto& one) { return one.first <= what.at; });
  returning.insert(earlier, {what.at, what.change});
}

std::vector<SpanLevels::Level>& SpanLevels::finish(Time now) {
  for (std::size_t place = 0; place < levels_.size(); ++place) {
    pass(place, now);
    change(place, now, 0);
  }
  return levels_;
}

}  // namespace kbsim::report
