#include "kbsim/report/scatter.hpp"

#include <fmt/format.h>

#include "axis.hpp"
#include "figure_style.hpp"
#include "replaced.hpp"

namespace kbsim::report {
namespace {

// Columns: 1 half, 2 measured, 3 predicted.
constexpr const char* kScatterPlot = R"gnuplot(plot x with lines linewidth 3 linecolor "GREY" title "equal", \
       1.1 * x with lines dashtype (12, 8) linewidth 2 linecolor "GREY" title "10 % off", \
       x / 1.1 with lines dashtype (12, 8) linewidth 2 linecolor "GREY" notitle, \
       "NAME.csv" using (strcol(1) eq "FIRST" ? $2 : NaN):3 with points pointtype 7 pointsize 0.9 linecolor "#0072b2" title "FIRST", \
       "" using (strcol(1) eq "SECOND" ? $2 : NaN):3 with points pointtype 5 pointsize 0.9 linecolor "#d55e00" title "SECOND")gnuplot";

}  // namespace

std::string scatter_script(const Scatter& scatter) {
  const Axis axis = log_axis(scatter.least, scatter.most);
  const std::string settings = fmt::format(
                                   "set key top left Left reverse\nset xlabel \"measured ({0})\"\n"
                                   "set ylabel \"predicted ({0})\"\n",
                                   scatter.unit) +
                               axis.settings('x') + axis.settings('y');
  std::string plot = replaced(replaced(kScatterPlot, "FIRST", scatter.first), "SECOND", scatter.second);
  plot = replaced(std::move(plot), "NAME", scatter.name);
  return replaced(
      script_of({.name = scatter.name, .title = scatter.title, .settings = settings, .plot = plot}), "GREY",
      std::string{kBoundColour});
}

}  // namespace kbsim::report
