#include <fmt/format.h>

#include "kbsim/report/traffic.hpp"

#include "replaced.hpp"

namespace kbsim::report {
namespace {

// Columns: 2 offered, 3 accepted, 5 mean, 8 p99.
constexpr const char* kLoadLatencyScript =
    R"gnuplot(# Draws NAME.png and NAME.svg from NAME.csv: gnuplot NAME.gp
set datafile separator comma
set datafile columnheaders
bound = BOUND
set arrow 1 from bound, graph 0 to bound, graph 1 nohead dashtype 2 linecolor "gray40"
set label 1 "bound" at bound, graph 0.06 offset 0.6, 0 textcolor "gray40"
set xrange [0:*]
set grid linecolor "gray85"
do for [kind in "png svg"] {
  if (kind eq "png") { set terminal pngcairo size 900, 1000 font ",12" }
  else { set terminal svg size 900, 1000 font ",12" background "white" }
  set output "NAME.".kind
  set multiplot layout 2, 1 title "TITLE"
  set key top left
  unset xlabel
  set ylabel "latency (ns)"
  set yrange [*:*]
  set logscale y
  plot "NAME.csv" using 2:5 with linespoints linewidth 2 linecolor "#1f77b4" title "mean", \
       "" using 2:8 with linespoints linewidth 2 linecolor "#d62728" title "p99"
  unset logscale y
  set xlabel "offered (packets a service time and source)"
  set ylabel "accepted (packets a service time and source)"
  set yrange [0:*]
  plot x with lines dashtype 3 linecolor "gray60" title "all that is offered", \
       "NAME.csv" using 2:3 with linespoints linewidth 2 linecolor "#2ca02c" title "accepted"
  unset multiplot
}
set output
)gnuplot";

}  // namespace

std::string load_latency_script(const std::string& name, const std::string& title, double bound) {
  const std::string titled = replaced(replaced(kLoadLatencyScript, "NAME", name), "TITLE", title);
  return replaced(titled, "BOUND", fmt::format("{}", bound));
}

}  // namespace kbsim::report
