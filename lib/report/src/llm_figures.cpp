#include "kbsim/report/llm_figures.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/report/csv.hpp"

#include "bar_figure.hpp"
#include "figure_style.hpp"
#include "plot_axis.hpp"
#include "replaced.hpp"

namespace kbsim::report {
namespace {

using boost::json::object;

double number_of(const object& row, std::string_view key) { return row.at(key).to_number<double>(); }
std::string word_of(const object& row, std::string_view key) { return std::string{row.at(key).as_string()}; }

// Colours of operations, in their order: as many as a step of one package has, all distinct.
constexpr auto kOperationColours = std::to_array<std::string_view>(
    {"#332288", "#88ccee", "#44aa99", "#117733", "#999933", "#ddcc77", "#cc6677", "#882255", "#aa4499",
     "#4477aa", "#ee8866", "#bbcc33", "#77aadd", "#ffaabb", "#222255", "#663333"});

std::string operation_colour(std::size_t place) {
  return std::string{kOperationColours[place % kOperationColours.size()]};
}

std::vector<std::string> operations_of(const boost::json::array& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    for (const auto& value : row.at("operations").as_array()) {
      const std::string name = word_of(value.as_object(), "operation");
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

double path_of(const object& row, const std::string& operation) {
  for (const auto& value : row.at("operations").as_array()) {
    if (word_of(value.as_object(), "operation") == operation) return number_of(value.as_object(), "path_us");
  }
  return 0.0;
}

Figure time_figure(const boost::json::array& rows) {
  BarFigure figure{.name = "llm_time",
                   .title = "A step of the model: where the time goes",
                   .data = "phase",
                   .y_label = "time (us)",
                   .side = BarFigure::Side::stacked};
  const std::vector<std::string> operations = operations_of(rows);
  for (const std::string& operation : operations) {
    figure.data += "," + csv_cell(operation);
    figure.bars.push_back({operation, operation_colour(figure.bars.size())});
  }
  figure.data += ",between operations";
  figure.bars.push_back({"between operations", std::string{kBoundColour}});
  for (const auto& value : rows) {
    const object& row = value.as_object();
    figure.data += "\n" + word_of(row, "phase");
    for (const std::string& operation : operations)
      figure.data += fmt::format(",{:.6g}", path_of(row, operation));
    figure.data += fmt::format(",{:.6g}", number_of(row, "between_us"));
  }
  figure.data += "\n";
  return to_figure(figure);
}

// An operation's FLOP per byte of HBM, and the FLOP/s that it achieves.
struct Dot {
  std::string name;
  double intensity = 0.0;
  double flop_per_s = 0.0;
};

std::vector<Dot> dots_of(const boost::json::array& rows) {
  std::vector<Dot> dots;
  for (const auto& row : rows) {
    for (const auto& value : row.at("operations").as_array()) {
      const object& operation = value.as_object();
      const double bytes = number_of(operation, "hbm_bytes");
      if (bytes <= 0.0 || number_of(operation, "flop") <= 0.0) continue;
      dots.push_back(
          {fmt::format("{} {}", word_of(row.as_object(), "phase"), word_of(operation, "operation")),
           number_of(operation, "flop") / bytes, number_of(operation, "flop_per_s")});
    }
  }
  return dots;
}

constexpr const char* kRoof = R"gnuplot(roof(x) = x * BYTES < RATE ? x * BYTES : RATE
set key top left Left reverse
set xlabel "FLOP per byte of HBM"
set ylabel "FLOP/s"
)gnuplot";
constexpr const char* kDots =
    R"gnuplot(plot roof(x) with lines linewidth 3 linecolor "GREY" title "HBM and engines at their full rates", \
       "NAME.csv" using 2:3 with points pointtype 7 pointsize 1.5 linecolor "COLOUR" notitle, \
       "" using 2:3:(strcol(1)) with labels left offset 0.8,0.3 font ",14" notitle)gnuplot";

Figure roofline_figure(const boost::json::array& rows) {
  const std::vector<Dot> dots = dots_of(rows);
  const object& first = rows.front().as_object();
  const double flop = number_of(first, "peak_flop_per_s");
  const double bytes = number_of(first, "peak_hbm_bytes_per_s");
  std::string data = "operation,flop_per_byte,flop_per_s\n";
  double left = flop / bytes;
  double right = left;
  double low = flop;
  for (const Dot& dot : dots) {
    data += fmt::format("{},{:.6g},{:.6g}\n", csv_cell(dot.name), dot.intensity, dot.flop_per_s);
    left = std::min(left, dot.intensity);
    right = std::max(right, dot.intensity);
    low = std::min(low, dot.flop_per_s);
  }
  std::string settings =
      replaced(replaced(kRoof, "BYTES", fmt::format("{:.6e}", bytes)), "RATE", fmt::format("{:.6e}", flop));
  settings += log_axis(left, 2.0 * right).settings('x') + log_axis(low, flop).settings('y');
  std::string plot = replaced(kDots, "NAME", "llm_roofline");
  plot = replaced(replaced(plot, "GREY", std::string{kBoundColour}), "COLOUR", colour_at(0));
  return {.name = "llm_roofline",
          .data = data,
          .script = script_of({.name = "llm_roofline",
                               .title = "Operations of the model against the roofline",
                               .settings = settings,
                               .plot = plot})};
}

}  // namespace

std::vector<Figure> llm_figures(const boost::json::array& rows) {
  if (rows.empty()) return {};
  std::vector<Figure> figures{time_figure(rows)};
  if (!dots_of(rows).empty()) figures.push_back(roofline_figure(rows));
  return figures;
}

}  // namespace kbsim::report
