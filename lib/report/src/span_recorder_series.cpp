// Spans summed over windows of time: utilization of units, waiting, and free room.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/report/span_recorder.hpp"

#include "span_kinds.hpp"

namespace kbsim::report {

namespace {

struct LevelWords {
  std::string free, least, unit;
};

LevelWords words_of(const SpanLevels::Level& level, const topology::Graph& graph) {
  if (level.link.valid()) return {.free = "free credits", .least = "least free credits", .unit = "B"};
  if (graph.node(level.unit).kind == topology::NodeKind::pe_tcm)
    return {.free = "free TCM", .least = "least free TCM", .unit = "B"};
  return {.free = "free slots", .least = "least free slots", .unit = "number"};
}

}  // namespace

// The mean of each window.
void SpanRecorder::add_shares(trace::Series shares, const SpanSeries& series) {
  if (series.total() == Time{0}) return;
  const std::vector<Time> windows = series.windows();
  shares.values.resize(windows.size());
  for (std::size_t i = series.first(); i < windows.size(); ++i) {
    const Time begin = timeline_.begin + timeline_.window * static_cast<std::int64_t>(i);
    const Time length = std::min(timeline_.window, timeline_.end - begin);
    shares.values[i] =
        static_cast<double>(windows[i].count()) / static_cast<double>(std::max(Time{1}, length).count());
  }
  timeline_.series.push_back(std::move(shares));
}

// Free is the part not in use, to the end; a level that was never used has no series.
void SpanRecorder::add_level(SpanLevels::Level& level) {
  const hw::Span of{.kind = hw::SpanKind::port, .unit = level.unit, .link = level.link, .part = level.part};
  const std::string name = name_of(of);
  if (!fits(selection_.units, name) || level.series.sum().total() == Time{0}) return;
  const LevelWords words = words_of(level, graph_);
  const auto windows = static_cast<std::size_t>(
      (timeline_.end - timeline_.begin + timeline_.window - Time{1}) / timeline_.window);
  const auto all = static_cast<double>(level.all);
  const trace::TrackId track = track_of(of, name);
  level.series.widen(timeline_.window);
  add_shares({.track = track,
              .measure = trace::Measure::free,
              .name = words.free,
              .unit = words.unit == "number" ? "mean number" : words.unit,
              .values = {},
              .all = all},
             level.series.sum());
  trace::Series& mean = timeline_.series.back();
  mean.values.resize(windows);
  for (double& value : mean.values) value = all - value;
  trace::Series least{.track = track,
                      .measure = trace::Measure::least_free,
                      .name = words.least,
                      .unit = words.unit,
                      .values = std::vector<double>(windows, all),
                      .all = all};
  for (std::size_t i = 0; i < std::min(windows, level.series.most().size()); ++i)
    least.values[i] -= static_cast<double>(level.series.most()[i]);
  timeline_.series.push_back(std::move(least));
}

void SpanRecorder::finish_series(Time now) {
  std::vector<SpanLevels::Level>& levels = levels_.finish(now);
  Time width = SpanSeries::kFirst;
  for_each_unit(
      [&](const Unit& unit) { width = std::max({width, unit.busy.width(), unit.waiting.width()}); });
  for (const SpanLevels::Level& level : levels) width = std::max(width, level.series.sum().width());
  while (width * static_cast<std::int64_t>(SpanSeries::kMost) < now - timeline_.begin) width *= 2;
  timeline_.window = width;
  for_each_unit([&](Unit& unit) {
    if (!is_counted(unit.kind)) return;
    const bool many = unit.kind == hw::SpanKind::transfer || unit.kind == hw::SpanKind::send ||
                      unit.kind == hw::SpanKind::receive;
    unit.busy.widen(width);
    unit.waiting.widen(width);
    const trace::Series busy{.track = unit.track, .name = "utilisation", .unit = "of 1", .values = {}};
    const trace::Series under_way{.track = unit.track,
                                  .measure = trace::Measure::under_way,
                                  .name = "under way",
                                  .unit = "mean number",
                                  .values = {}};
    add_shares(many ? under_way : busy, unit.busy);
    add_shares({.track = unit.track,
                .measure = trace::Measure::waiting,
                .name = "waiting",
                .unit = "mean number",
                .values = {}},
               unit.waiting);
  });
  for (SpanLevels::Level& level : levels) add_level(level);
}

}  // namespace kbsim::report
