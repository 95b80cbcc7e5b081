#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/utf8.hpp"
#include "kbsim/trace/timeline.hpp"

#include "kinds.hpp"
#include "trace_lanes.hpp"

namespace kbsim::trace {
namespace {

constexpr double kLeft = 220.0;
constexpr double kWidth = 1000.0;  // of the time axis
constexpr double kRow = 16.0;
constexpr double kTop = 44.0;
constexpr std::size_t kMostRows = 48;

// 1, 2 or 5 times a power of ten; about ten ticks in all.
double tick_of(double all) {
  const double rough = std::pow(10.0, std::floor(std::log10(all / 10.0)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * rough * 10.0 >= all) return step * rough;
  }
  return 10.0 * rough;
}

/// Draws a timeline.
class Picture {
 public:
  explicit Picture(Timeline& timeline)
      : timeline_{timeline},
        span_{std::max(1.0, static_cast<double>((timeline.end - timeline.begin).count()))} {}

  void write(const Sink& sink) {
    find_rows();
    draw_slices();
    const double height = kTop + static_cast<double>(rows_.size()) * kRow + 40.0;
    sink(
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
                    "font-family=\"sans-serif\" font-size=\"10\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                    "<text x=\"10\" y=\"18\" font-size=\"13\">{}</text>\n",
                    kLeft + kWidth + 20.0, height, in_markup(timeline_.title)));
    sink(axis(height - 34.0));
    sink(bars_);
    sink(arrows());
    sink(legend(height - 12.0));
    sink("</svg>\n");
  }

 private:
  [[nodiscard]] double x(Time t) const {
    return kLeft + kWidth * static_cast<double>((t - timeline_.begin).count()) / span_;
  }
  // The rows are the first tracks with slices, in a viewer's order.
  void find_rows() {
    const std::vector<std::uint32_t> places = places_of(timeline_.tracks);
    std::map<std::uint32_t, TrackId> used;
    timeline_.slices.for_each([&](const Slice& slice) { used.emplace(places[slice.track], slice.track); });
    for (const auto& [place, track] : used) {
      if (rows_.size() == kMostRows) return;
      const double y = kTop + static_cast<double>(rows_.size()) * kRow;
      rows_.emplace(track, y);
      bars_ += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6.0,
                           y + 11.0, in_markup(label_of(timeline_.tracks, track)));
    }
  }
  void draw_slices() {
    Lanes lanes;
    std::map<std::size_t, int> depth;  // of the open slices, by lane
    TrackId track = kNoTrack;
    const auto ended = [&](std::size_t lane, const Slice&) { --depth[lane]; };
    timeline_.slices.for_each([&](const Slice& slice) {
      const auto row = rows_.find(slice.track);
      if (row == rows_.end()) return;
      if (std::exchange(track, slice.track) != slice.track) lanes.finish(ended);
      const std::size_t lane = lanes.push(slice, ended);
      draw(slice, row->second, depth[lane]++);
      note_flows(slice, row->second);
    });
  }

  // An arrow leads from the end of a sending slice, or from the start of a launch.
  void note_flows(const Slice& slice, double row) {
    const double middle = row + kRow / 2.0;
    const bool launch = slice.kind == SliceKind::launch;
    for (std::uint64_t i = 0; i < slice.flows; ++i)
      begins_[slice.to + i] = {x(launch ? slice.start : slice.end()), middle};
    if (slice.from != 0) ends_[slice.from] = {x(slice.ends_flow_last ? slice.end() : slice.start), middle};
  }

  [[nodiscard]] std::string arrows() const {
    std::string text;
    for (const auto& [flow, from] : begins_) {
      const auto to = ends_.find(flow);
      if (to == ends_.end()) continue;
      text += fmt::format(
          "<line x1=\"{:.2f}\" y1=\"{:.1f}\" x2=\"{:.2f}\" y2=\"{:.1f}\" stroke=\"#444\" "
          "stroke-width=\"0.5\" stroke-opacity=\"0.6\"/>\n",
          from.first, from.second, to->second.first, to->second.second);
    }
    return text;
  }

  void draw(const Slice& slice, double row, int depth) {
    const double inset = std::min(2.5 * depth, 5.0);
    const double left = x(slice.start);
    const double width = std::max(0.4, x(slice.end()) - left);
    const std::string& name = timeline_.strings[slice.name];
    kinds_[row_of(slice.kind).category] = row_of(slice.kind).color;
    bars_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"><title>{} "
        "{}</title></rect>\n",
        left, row + 1.0 + inset / 2.0, width, kRow - 2.0 - inset, row_of(slice.kind).color, in_markup(name),
        to_string(slice.duration()));
    constexpr double kLetter = 5.4;
    if (static_cast<double>(name.size() + 1) * kLetter < width)
      bars_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" font-size=\"9\">{}</text>\n", left + 3.0,
                           row + 11.0, in_markup(name));
  }

  [[nodiscard]] std::string axis(double bottom) const {
    std::string text;
    const double first = static_cast<double>(timeline_.begin.count()) / 1000.0;
    const double last = static_cast<double>(timeline_.end.count()) / 1000.0;
    const double step = tick_of(std::max(1e-3, last - first));
    for (double ns = std::ceil(first / step) * step; ns <= last; ns += step) {
      const double at = x(from_ns(ns));
      text += fmt::format(
          "<line x1=\"{0:.2f}\" y1=\"{1}\" x2=\"{0:.2f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n"
          "<text x=\"{0:.2f}\" y=\"{3}\" text-anchor=\"middle\">{4:g} ns</text>\n",
          at, kTop - 4.0, bottom, kTop - 8.0, ns);
    }
    return text;
  }

  [[nodiscard]] std::string legend(double y) const {
    std::string text;
    double left = kLeft;
    for (const auto& [name, color] : kinds_) {
      text += fmt::format(
          "<rect x=\"{0:.0f}\" y=\"{1:.1f}\" width=\"10\" height=\"10\" fill=\"{2}\"/>\n"
          "<text x=\"{3:.0f}\" y=\"{4:.1f}\">{5}</text>\n",
          left, y - 9.0, color, left + 14.0, y, name);
      left += 24.0 + 6.0 * static_cast<double>(name.size());
    }
    return text;
  }

  Timeline& timeline_;
  double span_;
  std::map<TrackId, double> rows_;
  std::string bars_;
  std::map<std::uint64_t, std::pair<double, double>> begins_;  // of flows
  std::map<std::uint64_t, std::pair<double, double>> ends_;
  std::map<std::string_view, std::string_view> kinds_;
};

}  // namespace

void write_svg(Timeline& timeline, const Sink& sink) { Picture{timeline}.write(sink); }

}  // namespace kbsim::trace
