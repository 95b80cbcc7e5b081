#include "line_figure.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/report/csv.hpp"

#include "figure_style.hpp"
#include "plot_axis.hpp"

namespace kbsim::report {
namespace {

namespace views = ranges::views;

constexpr double kLabelFont = 18.0;
constexpr double kLabelHeight = 0.05;  // of the plot's height, at that font
constexpr double kCharacter = 0.0076;  // of the picture's width
constexpr double kSameWithin = 0.01;

// Removes points that have no place on the axes.
void remove_unplottable(LineFigure* what) {
  const bool log_y = what->y == LineFigure::Up::logarithmic;
  for (Line& line : what->lines) {
    std::erase_if(line.points, [&](const auto& point) {
      return !std::isfinite(point.second) || point.first <= 0.0 || (log_y && point.second <= 0.0);
    });
  }
  std::erase_if(what->lines, [](const Line& line) { return line.points.empty(); });
  std::vector<Line> ordered;
  for (const bool bounds : {false, true})
    std::ranges::copy_if(what->lines, std::back_inserter(ordered),
                         [&](const Line& line) { return line.bound == bounds; });
  what->lines = std::move(ordered);
}

std::set<double> places_of(const std::vector<Line>& lines) {
  std::set<double> places;
  for (const Line& line : lines) {
    for (const auto& [place, value] : line.points) places.insert(place);
  }
  return places;
}

Axis y_axis(const LineFigure& what) {
  std::vector<double> values;
  for (const Line& line : what.lines) {
    for (const auto& [place, value] : line.points) values.push_back(value);
  }
  const auto [least, most] = std::ranges::minmax(values);
  return what.y == LineFigure::Up::linear ? linear_axis(most) : log_axis(least, most);
}

// True if they are equal at two neighbouring places, or at the only common one.
bool coincide(const Line& a, const Line& b) {
  std::size_t in_row = 0;
  std::size_t both = 0;
  for (const auto& [place, value] : a.points) {
    const auto other = b.points.find(place);
    if (other == b.points.end()) continue;
    ++both;
    in_row = std::abs(other->second - value) <= kSameWithin * std::abs(value) ? in_row + 1 : 0;
    if (in_row == 2) return true;
  }
  return both == 1 && in_row == 1;
}

std::size_t coinciding_before(const std::vector<Line>& lines, std::size_t i) {
  const auto coincides = [&](const Line& line) { return coincide(line, lines[i]); };
  return static_cast<std::size_t>(std::ranges::count_if(std::span{lines}.first(i), coincides));
}

std::string stroke(const std::vector<Line>& lines, std::size_t i) {
  if (lines[i].bound)
    return fmt::format("with lines dashtype (12, 8) linewidth 3 linecolor \"{}\"", kBoundColour);
  const std::size_t under = coinciding_before(lines, i);
  const std::string dash =
      under == 0 ? "solid" : fmt::format("({0}, {0})", std::max(4, 16 - 4 * static_cast<int>(under)));
  const auto thinner = static_cast<double>(std::min<std::size_t>(under, 3));
  return fmt::format(
      "with linespoints dashtype {} linewidth {:g} pointtype 7 pointsize {:.1f} linecolor \"{}\"", dash,
      5.0 - thinner, 1.5 - 0.35 * thinner, lines[i].colour);
}

std::string plot_of(const LineFigure& what) {
  std::string plot;
  for (std::size_t i = 0; i < what.lines.size(); ++i)
    plot += fmt::format("{}\"{}.csv\" using 1:{} {} notitle", plot.empty() ? "plot " : ", \\\n    ",
                        what.name, i + 2, stroke(what.lines, i));
  return plot;
}

// Labels beside the last point of each line, joined to it.
std::string labels_of(const LineFigure& what, const Axis& y) {
  const auto all = static_cast<double>(what.lines.size());
  const double height = std::min(kLabelHeight, 1.0 / all);
  std::vector<double> wanted;
  for (const Line& line : what.lines) wanted.push_back(y.place(line.points.rbegin()->second));
  const std::vector<double> places = spread(wanted, height);
  std::string text;
  for (const auto& [number, line, label_place] : views::zip(views::iota(1), what.lines, places)) {
    const std::string colour{line.bound ? kBoundColour : line.colour};
    const auto& [place, value] = *line.points.rbegin();
    text += fmt::format(
        "set arrow {0} from {1:.12g}, {2:.12g} to graph 1.02, graph {3:.4f} nohead linewidth 1 linecolor "
        "\"{4}\"\n"
        "set label {0} \"{5}\" at graph 1.025, graph {3:.4f} left font \",{6:.0f}\" textcolor rgb \"{4}\"\n",
        number, place, value, label_place, colour, in_script(line.label), kLabelFont * height / kLabelHeight);
  }
  return text;
}

// One row per place, one column per line; NaN where a line has no number.
std::string table(const LineFigure& what, const std::set<double>& places) {
  std::string text = what.x_column;
  for (const Line& line : what.lines) text += "," + csv_cell(line.label);
  for (const double place : places) {
    text += fmt::format("\n{:.15g}", place);
    for (const Line& line : what.lines) {
      const auto found = line.points.find(place);
      text += found == line.points.end() ? ",NaN" : fmt::format(",{:.6g}", found->second);
    }
  }
  return text + "\n";
}

std::string margin_of(const std::vector<Line>& lines) {
  std::size_t longest = 0;
  for (const Line& line : lines) longest = std::max(longest, line.label.size());
  return fmt::format("set rmargin at screen {:.3f}\n",
                     std::max(0.5, 0.95 - kCharacter * static_cast<double>(longest)));
}

}  // namespace

std::vector<double> spread(const std::vector<double>& wanted, double distance) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{wanted[i], i}; });
  struct Block {  // labels that touch each other, around the middle of their wanted places
    double sum;
    double n;
    [[nodiscard]] double mean() const { return sum / n; }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < order.size(); ++i) {
    blocks.push_back({wanted[order[i]] - distance * static_cast<double>(i), 1.0});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back() = {blocks.back().sum + last.sum, blocks.back().n + last.n};
    }
  }
  std::vector<double> places(wanted.size());
  const double room = std::max(0.0, 1.0 - distance * static_cast<double>(order.size() - 1));
  std::size_t i = 0;
  for (const Block& block : blocks) {
    for (double n = 0; n < block.n; ++n, ++i)
      places[order[i]] = std::clamp(block.mean(), 0.0, room) + distance * static_cast<double>(i);
  }
  return places;
}

Figure to_figure(LineFigure what) {
  remove_unplottable(&what);
  if (what.lines.empty()) return {.name = what.name, .data = "", .script = "# " + what.name + ": no data\n"};
  const std::set<double> places = places_of(what.lines);
  const bool sizes = what.x == LineFigure::Along::sizes;
  const Axis x = sizes ? size_axis(places) : number_axis(places);
  const Axis y = y_axis(what);
  const std::string settings =
      fmt::format("unset key\nset xlabel \"{}\"\nset ylabel \"{}\"\n{}{}{}{}", what.x_label, what.y_label,
                  x.settings('x'), y.settings('y'), margin_of(what.lines), labels_of(what, y));
  return {.name = what.name,
          .data = table(what, places),
          .script = script_of(
              {.name = what.name, .title = what.title, .settings = settings, .plot = plot_of(what)})};
}

}  // namespace kbsim::report
