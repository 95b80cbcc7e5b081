#include "kbsim/report/sweep_figures.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "figure_style.hpp"
#include "line_figure.hpp"

namespace kbsim::report {
namespace {

namespace views = ranges::views;

// Whether the greatest is several times the least: only then is a logarithm useful.
bool is_wide(const std::vector<SweepCurves::Curve>& curves) {
  constexpr double kWide = 4.0;
  double least = 0.0;
  double most = 0.0;
  for (const SweepCurves::Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) {
      if (!(y > 0.0)) return false;
      least = least == 0.0 ? y : std::min(least, y);
      most = std::max(most, y);
    }
  }
  return most > kWide * least;
}

std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "NaN"; }

// The name without characters that break a cell of CSV or a label of gnuplot.
std::string plain(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == ',' || c == '"' || c == '\\' || c == '`'; }, ' ');
  return text;
}

std::vector<SweepCurves::Curve> all_curves(const SweepPanels& what) {
  std::vector<SweepCurves::Curve> all;
  for (const SweepPanels::Panel& panel : what.panels)
    all.insert(all.end(), panel.curves.begin(), panel.curves.end());
  return all;
}

// Equal lines of all panels have the same colour.
std::vector<std::string> labels_of(const std::vector<SweepCurves::Curve>& curves) {
  std::vector<std::string> labels;
  for (const SweepCurves::Curve& curve : curves) {
    if (std::ranges::find(labels, curve.label) == labels.end()) labels.push_back(curve.label);
  }
  return labels;
}

// One row per x, one column per line of a panel.
std::string table_of(const SweepPanels& what, const std::vector<SweepCurves::Curve>& curves) {
  std::set<double> places;
  for (const SweepCurves::Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) places.insert(x);
  }
  std::string data = plain(what.x_label);
  for (const SweepPanels::Panel& panel : what.panels) {
    for (const SweepCurves::Curve& curve : panel.curves) data += "," + plain(panel.title + " " + curve.label);
  }
  for (const double x : places) {
    data += fmt::format("\n{:.15g}", x);
    for (const SweepCurves::Curve& curve : curves) {
      const auto found = curve.points.find(x);
      data += "," + (found == curve.points.end() ? "NaN" : number_text(found->second));
    }
  }
  return data + "\n";
}

std::pair<double, double> limits_of(const std::vector<SweepCurves::Curve>& curves) {
  std::vector<double> values{0.0};
  for (const SweepCurves::Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) values.push_back(y);
  }
  if (values.size() > 1) values.erase(values.begin());
  const auto [least, most] = std::ranges::minmax(values);
  return {least, most};
}

// Common to all panels.
std::string y_range(const std::vector<SweepCurves::Curve>& curves) {
  const auto [least, most] = limits_of(curves);
  if (is_wide(curves))
    return fmt::format("set logscale y\nset yrange [{:.6g}:{:.6g}]\n", least / 1.3, most * 1.3);
  return fmt::format("set yrange [{:.6g}:{:.6g}]\n", std::min(0.0, 1.1 * least), std::max(1e-12, 1.1 * most));
}

std::string plot_of(const SweepPanels& what, const std::vector<std::string>& labels) {
  const auto n = static_cast<double>(what.panels.size());
  const int columns = std::max(1, static_cast<int>(std::ceil(std::sqrt(n))));
  const int rows = std::max(1, static_cast<int>(std::ceil(n / columns)));
  std::string plot = fmt::format(
      "unset title\n  set multiplot layout {}, {} title \"{}\" margins screen 0.08, 0.97, 0.14, 0.79 "
      "spacing screen 0.09, 0.22\n",
      rows, columns, plain(what.title));
  std::size_t column = 2;
  for (const auto& [i, panel] : views::enumerate(what.panels)) {
    plot +=
        fmt::format("  set title \"{}\"\n  {}", plain(panel.title),
                    i == 0 ? "set key at screen 0.5, 0.94 center top horizontal maxrows 1 font \",16\"\n  "
                           : "unset key\n  ");
    std::string lines;
    for (const SweepCurves::Curve& curve : panel.curves) {
      const auto place = std::ranges::find(labels, curve.label) - labels.begin();
      lines += fmt::format(
          "{}\"{}.csv\" using 1:{} with linespoints linewidth 3 pointtype 7 linecolor \"{}\" "
          "title \"{}\"",
          lines.empty() ? "plot " : ", \\\n    ", what.name, column++,
          colour_at(static_cast<std::size_t>(place)), plain(curve.label));
    }
    plot += lines + "\n";
  }
  return plot + "  unset multiplot";
}

}  // namespace

Figure panels_figure(const SweepPanels& what) {
  const std::vector<SweepCurves::Curve> curves = all_curves(what);
  const std::string settings =
      fmt::format("set logscale x 2\nset tics font \",16\"\nset xlabel \"{}\"\nset ylabel \"{}\"\n{}",
                  plain(what.x_label), plain(what.y_label), y_range(curves));
  return {.name = what.name,
          .data = table_of(what, curves),
          .script = script_of({.name = what.name,
                               .title = plain(what.title),
                               .settings = settings,
                               .plot = plot_of(what, labels_of(curves))})};
}

Figure curve_figure(const SweepCurves& what) {
  LineFigure figure{.name = what.name,
                    .title = plain(what.title),
                    .x_label = plain(what.x_label),
                    .y_label = plain(what.y_label),
                    .x_column = plain(what.x_label),
                    .x = LineFigure::Along::numbers,
                    .y = is_wide(what.curves) ? LineFigure::Up::logarithmic : LineFigure::Up::linear};
  for (const SweepCurves::Curve& curve : what.curves)
    figure.lines.push_back(
        {.label = plain(curve.label), .colour = colour_at(figure.lines.size()), .points = curve.points});
  return to_figure(std::move(figure));
}

Figure heat_map(const HeatMap& what) {
  std::string data = plain(what.y_label + " / " + what.x_label);
  for (const std::string& x : what.x) data += "," + plain(x);
  std::string labels;
  for (const auto& [row, y, values] : views::zip(views::iota(0), what.y, what.values)) {
    data += "\n" + plain(y);
    for (const auto& [column, value] : views::enumerate(values)) {
      data += "," + number_text(value);
      if (std::isfinite(value) && what.x.size() <= 12)
        labels +=
            fmt::format("set label \"{:.4g}\" at {}, {} center front font \",16\" textcolor rgb \"white\"\n",
                        value, column, row);
    }
  }
  const std::string settings = fmt::format(
      "unset key\nset nogrid\nset xlabel \"{}\"\nset ylabel \"{}\"\nset palette defined (0 \"#440154\", 1 "
      "\"#3b528b\", 2 \"#21918c\", 3 \"#5ec962\", 4 \"#fde725\")\n"
      "set xrange [-0.5:{}]\nset yrange [-0.5:{}]\nset xtics rotate by -30 font \",16\"\nset bmargin 6\nset "
      "rmargin at screen 0.88\n{}",
      plain(what.x_label), plain(what.y_label), static_cast<double>(what.x.size()) - 0.5,
      static_cast<double>(what.y.size()) - 0.5, labels);
  return {
      .name = what.name,
      .data = data + "\n",
      .script = script_of(
          {.name = what.name,
           .title = plain(what.title),
           .settings = settings,
           .plot = fmt::format("plot \"{}.csv\" matrix rowheaders columnheaders with image", what.name)})};
}

Figure pareto_figure(const ParetoFigure& what) {
  std::string data = fmt::format("{},{},front\n", plain(what.x_label), plain(what.y_label));
  for (const auto& [x, y] : what.points) data += fmt::format("{},{},NaN\n", number_text(x), number_text(y));
  for (const auto& [x, y] : what.front) data += fmt::format("{},NaN,{}\n", number_text(x), number_text(y));
  const std::string settings =
      fmt::format("set key outside top center horizontal\nset xlabel \"{}\"\nset ylabel \"{}\"\n",
                  plain(what.x_label), plain(what.y_label));
  return {
      .name = what.name,
      .data = data,
      .script = script_of(
          {.name = what.name,
           .title = plain(what.title),
           .settings = settings,
           .plot = fmt::format(
               "plot \"{0}.csv\" using 1:2 with points pointtype 7 pointsize 1 linecolor \"{1}\" title "
               "\"points\", \\\n    \"\" using 1:3 with linespoints linewidth 4 pointtype 7 pointsize 1.5 "
               "linecolor \"{2}\" title \"Pareto front\"",
               what.name, colour_at(5), colour_at(4))})};
}

}  // namespace kbsim::report
