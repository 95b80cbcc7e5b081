#include "kbsim/report/scatter.hpp"

#include <fmt/format.h>

#include "figure_style.hpp"
#include "plot_axis.hpp"
#include "replaced.hpp"

namespace kbsim::report {
namespace {

// Columns: 1 half, 2 measured, 3 predicted.
constexpr const char* kScatterLines =
    R"gnuplot(plot x with lines linewidth 3 linecolor "GREY" title "equal", \
       1.1 * x with lines dashtype (12, 8) linewidth 2 linecolor "GREY" title "10 % off", \
       x / 1.1 with lines dashtype (12, 8) linewidth 2 linecolor "GREY" notitle)gnuplot";
constexpr const char* kScatterPoints = R"gnuplot(, \
       "NAME.csv" using (strcol(1) eq "HALF" ? $2 : NaN):3 with points pointtype TYPE pointsize 0.9 linecolor "COLOUR" title "HALF")gnuplot";

// gnuplot warns if a half has no points.
std::string points_of(bool has, const std::string& half, const char* type, const char* colour) {
  if (!has) return {};
  return replaced(replaced(replaced(kScatterPoints, "HALF", half), "TYPE", type), "COLOUR", colour);
}

}  // namespace

std::string scatter_script(const Scatter& scatter) {
  const Axis axis = log_axis(scatter.least, scatter.most);
  const std::string settings = fmt::format(
                                   "set key top left Left reverse\nset xlabel \"measured ({0})\"\n"
                                   "set ylabel \"predicted ({0})\"\n",
                                   scatter.unit) +
                               axis.settings('x') + axis.settings('y');
  std::string plot = kScatterLines + points_of(scatter.has_first, scatter.first, "7", "#0072b2") +
                     points_of(scatter.has_second, scatter.second, "5", "#d55e00");
  plot = replaced(std::move(plot), "NAME", scatter.name);
  return replaced(
      script_of({.name = scatter.name, .title = scatter.title, .settings = settings, .plot = plot}), "GREY",
      std::string{kBoundColour});
}

}  // namespace kbsim::report
