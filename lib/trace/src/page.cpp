#include "kbsim/trace/page.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "kbsim/base/utf8.hpp"
#include "kbsim/web/pages.hpp"

#include "kinds.hpp"
#include "trace_lanes.hpp"

namespace kbsim::trace {
namespace {

namespace json = boost::json;

// The shortest duration shown, if at most `limits.slices` are shown: a power of two, or 0.
Time shortest_shown(Timeline& timeline, const PageLimits& limits) {
  const std::uint64_t most = limits.slices;
  if (timeline.slices.size() <= most) return Time{0};
  std::array<std::uint64_t, 65> by_bits{};
  timeline.slices.for_each([&](const Slice& slice) {
    if (limits.links && slice.kind == SliceKind::link) return;
    ++by_bits[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(slice.duration().count())))];
  });
  std::uint64_t longer = 0;
  std::size_t bits = by_bits.size();
  while (bits > 1 && longer + by_bits[bits - 1] <= most) longer += by_bits[--bits];
  if (bits == 1 && longer + by_bits[0] <= most) return Time{0};
  return Time{std::int64_t{1} << std::min<std::size_t>(bits - 1, 62)};
}

// The used part of a free resource, which is mostly 0.
std::vector<double> used(const Series& series) {
  std::vector<double> values = series.values;
  if (series.all == 0) return values;
  for (double& value : values) value = series.all - value;
  return values;
}

// Names in the order of Measure.
constexpr std::array kMeasures{"utilisation", "waiting", "under_way", "free", "least_free"};

// In thousandths; a run of n zeros is written as -n.
json::array shortened(const std::vector<double>& values) {
  constexpr double kParts = 1000.0;
  json::array all;
  std::int64_t zeros = 0;
  for (const double value : values) {
    const std::int64_t parts = std::llround(value * kParts);
    if (parts == 0) {
      ++zeros;
      continue;
    }
    if (zeros > 0) all.emplace_back(-std::exchange(zeros, 0));
    all.emplace_back(parts);
  }
  if (zeros > 0) all.emplace_back(-zeros);
  return all;
}

/// Writes a timeline for a page: its slices are in memory, row by row.
class PageData {
 public:
  PageData(Timeline& timeline, const PageLimits& limits)
      : timeline_{timeline}, limits_{limits}, places_{places_of(timeline.tracks)} {}

  [[nodiscard]] json::object make() {
    collect();
    leave_out_rows();
    json::object data = contents();
    if (limits_.numbers > 0) data["window"] = timeline_.window.count(), data["series"] = series();
    data["left_out"] = std::move(left_out_);
    return data;
  }

 private:
  struct Row {
    TrackId track = 0;
    std::vector<std::pair<Slice, int>> slices = {};  // with their depths
  };
  struct End {
    std::pair<std::uint32_t, std::size_t> row;
    Time at{};
  };

  void collect() {
    Lanes lanes;
    std::map<std::size_t, int> depth;
    TrackId track = kNoTrack;
    const auto ended = [&](std::size_t lane, const Slice&) { --depth[lane]; };
    const Time shortest = shortest_shown(timeline_, limits_);
    if (shortest > Time{0}) left_out_.emplace_back("slices shorter than " + to_string(shortest));
    timeline_.slices.for_each([&](const Slice& slice) {
      const bool link = slice.kind == SliceKind::link;
      if (slice.duration() < shortest && !(link && limits_.links)) return;
      if (std::exchange(track, slice.track) != slice.track) lanes.finish(ended);
      const std::size_t lane = lanes.push(slice, ended);
      const auto below = static_cast<std::uint32_t>(link && limits_.links ? places_.size() : 0);
      const std::pair key{places_[slice.track] + below, lane};
      Row& row = rows_[key];
      row.track = slice.track;
      row.slices.emplace_back(slice, depth[lane]++);
      note_flows(slice, key);
    });
  }

  // Rows that were least busy, those of links first.
  void leave_out_rows() {
    if (rows_.size() <= limits_.rows) return;
    using Key = std::pair<std::uint32_t, std::size_t>;
    std::vector<std::tuple<bool, Time, Key>> order;
    for (const auto& [key, row] : rows_) {
      Time busy{};
      for (const auto& [slice, around] : row.slices) busy += slice.duration();
      order.emplace_back(key.first < places_.size(), busy, key);
    }
    std::ranges::sort(order);
    order.resize(rows_.size() - limits_.rows);
    for (const auto& [unit, busy, key] : order) rows_.erase(key);
    left_out_.emplace_back("rows of " + std::to_string(order.size()) +
                           " links and units that were least busy");
  }

  void note_flows(const Slice& slice, const std::pair<std::uint32_t, std::size_t>& row) {
    const bool launch = slice.kind == SliceKind::launch;
    for (std::uint64_t i = 0; i < slice.flows; ++i)
      begins_[slice.to + i] = {.row = row, .at = launch ? slice.start : slice.end()};
    if (slice.from != 0)
      ends_[slice.from] = {.row = row, .at = slice.ends_flow_last ? slice.end() : slice.start};
  }

  [[nodiscard]] json::object contents() {
    json::array rows, start, length, name, at, kind, depth, bytes, idle;
    bool any_idle = false;
    std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t> numbers;
    for (const auto& [key, row] : rows_) {
      numbers.emplace(key, static_cast<std::int64_t>(rows.size()));
      const std::size_t first = start.size();
      Time last{};
      Time longest{};
      for (const auto& [slice, around] : row.slices) {
        start.emplace_back((slice.start - std::exchange(last, slice.start)).count());
        length.emplace_back(slice.duration().count());
        name.emplace_back(slice.name);
        at.emplace_back(slice.at);
        kind.emplace_back(static_cast<int>(slice.kind));
        depth.emplace_back(around);
        bytes.emplace_back(slice.bytes);
        idle.emplace_back(slice.idle.count());
        any_idle = any_idle || slice.idle > Time{0};
        longest = std::max(longest, slice.duration());
      }
      rows.push_back({{"label", label_of(timeline_.tracks, row.track)},
                      {"first", first},
                      {"last", start.size()},
                      {"longest", longest.count()}});
    }
    if (!any_idle) idle.clear();
    json::array strings;
    for (StringId id = 0; id < timeline_.strings.size(); ++id) strings.emplace_back(timeline_.strings[id]);
    json::array kinds;
    for (const KindRow& row : kKinds) kinds.push_back({{"name", row.category}, {"color", row.color}});
    return {
        {"title", timeline_.title},     {"is_cut", timeline_.is_cut},    {"begin", timeline_.begin.count()},
        {"end", timeline_.end.count()}, {"rows", std::move(rows)},       {"start", std::move(start)},
        {"length", std::move(length)},  {"name", std::move(name)},       {"at", std::move(at)},
        {"kind", std::move(kind)},      {"depth", std::move(depth)},     {"bytes", std::move(bytes)},
        {"idle", std::move(idle)},      {"strings", std::move(strings)}, {"kinds", std::move(kinds)},
        {"flows", flows(numbers)}};
  }

  // The series with the greatest sums, in their original order.
  [[nodiscard]] json::array series() {
    struct Row {
      double sum;
      std::size_t place;
      json::array values;
    };
    std::vector<Row> rows;
    for (std::size_t i = 0; i < timeline_.series.size(); ++i) {
      const std::vector<double> values = used(timeline_.series[i]);
      rows.push_back({.sum = std::accumulate(values.begin(), values.end(), 0.0),
                      .place = i,
                      .values = shortened(values)});
    }
    std::ranges::sort(
        rows, [](const Row& a, const Row& b) { return a.sum != b.sum ? a.sum > b.sum : a.place < b.place; });
    json::array all;
    std::uint64_t numbers = 0;
    for (Row& row : rows) {
      numbers += row.values.size();
      if (numbers > limits_.numbers) break;
      const Series& one = timeline_.series[row.place];
      all.push_back({{"of", label_of(timeline_.tracks, one.track)},
                     {"measure", kMeasures[static_cast<std::size_t>(one.measure)]},
                     {"name", one.name},
                     {"unit", one.unit},
                     {"values", std::move(row.values)}});
      if (one.all > 0) all.back().as_object()["all"] = one.all;
    }
    if (all.size() < rows.size())
      left_out_.emplace_back("curves of " + std::to_string(rows.size() - all.size()) +
                             " units and links that did least");
    return all;
  }

  [[nodiscard]] json::array flows(
      const std::map<std::pair<std::uint32_t, std::size_t>, std::int64_t>& numbers) {
    json::array all;
    for (const auto& [flow, from] : begins_) {
      const auto to = ends_.find(flow);
      if (to == ends_.end() || !numbers.contains(from.row) || !numbers.contains(to->second.row)) continue;
      if (all.size() == limits_.arrows) {
        left_out_.emplace_back("all but " + std::to_string(all.size()) + " arrows");
        break;
      }
      all.push_back(json::array{numbers.at(from.row), from.at.count(), numbers.at(to->second.row),
                                to->second.at.count()});
    }
    return all;
  }

  Timeline& timeline_;
  PageLimits limits_;
  std::vector<std::uint32_t> places_;
  json::array left_out_;
  std::map<std::pair<std::uint32_t, std::size_t>, Row> rows_;  // by place and lane
  std::map<std::uint64_t, End> begins_;                        // of flows
  std::map<std::uint64_t, End> ends_;
};

}  // namespace

void write_page_data(Timeline& timeline, const PageLimits& limits, const Sink& sink) {
  constexpr std::uint64_t kFewSlices = 10'000;
  PageLimits now = limits;
  std::string text = json::serialize(PageData{timeline, now}.make());
  while (limits.bytes > 0 && text.size() > limits.bytes && now.slices > 1) {
    now.slices /= 2;
    now.arrows /= 2;
    now.rows = std::max<std::uint64_t>(1, now.rows / 2);
    if (now.slices < kFewSlices) now.numbers /= 2;  // curves last: they have the whole run
    text = json::serialize(PageData{timeline, now}.make());
  }
  sink(json_as_utf8(text));
}

void write_page(Timeline& timeline, const Sink& sink) {
  web::write_timeline_page(json_in_script(json::serialize(PageData{timeline, {}}.make())), sink);
}

}  // namespace kbsim::trace
