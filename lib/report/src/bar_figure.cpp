#include "bar_figure.hpp"

#include <fmt/format.h>
#include <range/v3/view/enumerate.hpp>

#include "figure_style.hpp"

namespace kbsim::report {
namespace {

constexpr const char* kBars = R"gnuplot(set grid noxtics ytics
set style data histograms
set style histogram {}
set style fill solid 0.85 border -1
set boxwidth {}
set key outside top center horizontal noenhanced
set xtics rotate by -40 font ",18" nomirror noenhanced
set ytics nomirror
set bmargin 7
set rmargin 14
set ylabel "{}"
set yrange [0:*]
{})gnuplot";

std::string plot_of(const BarFigure& what) {
  std::string plot;
  for (const auto& [i, bar] : ranges::views::enumerate(what.bars))
    plot += fmt::format("{} using {}{} linecolor \"{}\" title \"{}\"",
                        i == 0 ? "plot \"" + what.name + ".csv\"" : ", \\\n    \"\"", i + 2,
                        i == 0 ? ":xtic(1)" : "", bar.colour, bar.title);
  return plot;
}

}  // namespace

Figure to_figure(const BarFigure& what) {
  const bool stacked = what.side == BarFigure::Side::stacked;
  const std::string settings =
      fmt::format(kBars, stacked ? "rowstacked" : "clustered gap 1", stacked ? 0.8 : 0.9, what.y_label,
                  what.y ? what.y->settings('y') : "");
  return {.name = what.name,
          .data = what.data,
          .script = script_of(
              {.name = what.name, .title = what.title, .settings = settings, .plot = plot_of(what)})};
}

}  // namespace kbsim::report
