#include <algorithm>

#include <fmt/format.h>

#include "kbsim/report/traffic_report.hpp"

#include "figure_style.hpp"
#include "plot_axis.hpp"
#include "replaced.hpp"
#include "traffic_figures.hpp"

namespace kbsim::report {
namespace {

// Columns: 2 offered, 3 accepted, 5 mean, 8 p99.
constexpr const char* kBound = R"gnuplot(bound = BOUND
set arrow 1 from bound, graph 0 to bound, graph 1 nohead dashtype (12, 8) linewidth 3 linecolor "GREY"
set label 1 "bound" at bound, graph 0.06 right offset -0.6, 0 textcolor rgb "GREY"
set xlabel "offered (packets a service time and source)"
)gnuplot";

constexpr const char* kTwoPlots = R"gnuplot(set multiplot layout 1, 2 title "TITLE"
  unset title
  set key top left Left reverse
  set ylabel "latency (ns)"
  LATENCIES
  plot "NAME.csv" using 2:5 with linespoints linewidth 4 pointtype 7 linecolor "#0072b2" title "mean", \
       "" using 2:8 with linespoints linewidth 4 pointtype 5 linecolor "#d55e00" title "p99"
  set ylabel "accepted (packets a service time and source)"
  RATES
  plot "NAME.csv" using 2:3 with linespoints linewidth 4 pointtype 7 linecolor "#009e73" title "accepted", \
       x with lines dashtype (12, 8) linewidth 3 linecolor "GREY" title "all that is offered"
  unset multiplot)gnuplot";

struct Extent {
  double least_ns, most_ns, most_rate;
};

Extent extent_of(const topology::TrafficCase& traffic, const std::vector<hw::TrafficResult>& points) {
  Extent extent{.least_ns = 0.0, .most_ns = 0.0, .most_rate = traffic.bound};
  for (const hw::TrafficResult& result : points) {
    const TrafficFigures f{traffic, result};
    extent.least_ns = extent.least_ns == 0.0 ? f.mean : std::min(extent.least_ns, f.mean);
    extent.most_ns = std::max({extent.most_ns, f.mean, f.p99});
    extent.most_rate = std::max({extent.most_rate, result.offered, result.accepted});
  }
  return extent;
}

// Closed loops within one node may have latencies of 0.
Axis latencies(const Extent& extent) {
  return extent.least_ns > 0.0 ? log_axis(extent.least_ns, extent.most_ns) : linear_axis(extent.most_ns);
}

}  // namespace

std::string load_latency_script(const std::string& name, const std::string& title,
                                const topology::TrafficCase& traffic,
                                const std::vector<hw::TrafficResult>& points) {
  const Extent extent = extent_of(traffic, points);
  constexpr double kBeyond = 1.05;  // so that the bound is seen
  const Axis rates = linear_axis(kBeyond * extent.most_rate);
  const std::string settings =
      replaced(kBound, "BOUND", fmt::format("{}", traffic.bound)) + rates.settings('x');
  const std::string plot = replaced(replaced(kTwoPlots, "LATENCIES", latencies(extent).settings('y')),
                                    "RATES", rates.settings('y'));
  return replaced(script_of({.name = name, .title = title, .settings = settings, .plot = plot}), "GREY",
                  std::string{kBoundColour});
}

}  // namespace kbsim::report
