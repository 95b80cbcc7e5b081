#include "kbsim/report/attention_figures.hpp"

#include <algorithm>
#include <string>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "curves.hpp"
#include "replaced.hpp"

namespace kbsim::report {
namespace {

using boost::json::object;

// NAME, TITLE, SETTINGS, PLOT.
constexpr const char* kAttentionScript =
    R"gnuplot(# Draws NAME.png and NAME.svg from NAME.csv: gnuplot NAME.gp
set datafile separator comma
set datafile columnheaders
set datafile missing "NaN"
set grid ytics linecolor "gray85"
set key outside top center horizontal noenhanced
SETTINGS
do for [kind in "png svg"] {
  if (kind eq "png") { set terminal pngcairo noenhanced size 1200, 700 font ",12" }
  else { set terminal svg noenhanced size 1200, 700 font ",12" background "white" }
  set output "NAME.".kind
  set title "TITLE"
  plot PLOT
}
set output
)gnuplot";

Figure attention_figure(const std::string& name, const std::string& title, const std::string& data,
                        const std::string& settings, const std::string& plot) {
  std::string script = replaced(replaced(kAttentionScript, "SETTINGS", settings), "PLOT", plot);
  script = replaced(replaced(script, "TITLE", title), "NAME", name);
  return {.name = name, .data = data, .script = script};
}

double value_at(const object& row, const char* key) { return row.at(key).to_number<double>(); }
std::string panel_of(const object& row) { return std::string{row.at("panel").as_string()}; }

// The rows in which a number is as large as in any.
std::vector<object> with_most(const boost::json::array& rows, const char* key) {
  double most = 0.0;
  for (const auto& row : rows) most = std::max(most, value_at(row.as_object(), key));
  std::vector<object> found;
  for (const auto& row : rows) {
    if (value_at(row.as_object(), key) == most) found.push_back(row.as_object());
  }
  return found;
}

// The time of each panel, against a number of the rows.
Figure times(const std::string& name, const std::string& title, const std::vector<object>& rows,
             const char* against, const std::string& axis) {
  Curves curves;
  for (const object& row : rows) curves[panel_of(row)][value_at(row, against)] = value_at(row, "time_us");
  std::string plot;
  int column = 2;
  for (const auto& [panel, curve] : curves)
    plot += fmt::format("{}\"NAME.csv\" using 1:{} with linespoints linewidth 2 pointtype 7 title \"{}\"",
                        plot.empty() ? "" : ", ", column++, panel);
  const std::string settings =
      fmt::format("set logscale x 2\nset logscale y\nset xlabel \"{}\"\nset ylabel \"time (us)\"", axis);
  return attention_figure(name, title, table(against, curves), settings, plot);
}

Figure shares(const std::vector<object>& rows) {
  std::string data = "run,compute_percent,communication_percent,other_percent";
  for (const object& row : rows) {
    const double compute = 100.0 * value_at(row, "compute_share");
    const double communication = 100.0 * value_at(row, "communication_share");
    data += fmt::format("\n{} x {:.0f},{:.6g},{:.6g},{:.6g}", panel_of(row), value_at(row, "ranks"), compute,
                        communication, 100.0 - compute - communication);
  }
  return attention_figure(
      "attention_communication_and_compute", "Attention: what ranks do, of the kernel's time", data + "\n",
      "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.85 border -1\n"
      "set boxwidth 0.8\nset xtics rotate by -40 font \",9\" nomirror\nset bmargin 9\nset rmargin 14\nset "
      "yrange [0:100]\n"
      "set ylabel \"of the time, mean of all ranks (%)\"",
      "\"NAME.csv\" using 2:xtic(1) linecolor \"#4c72b0\" title \"an engine computes\", "
      "\"\" using 3 linecolor \"#dd8452\" title \"none does, a neighbour is waited for\", "
      "\"\" using 4 linecolor \"gray80\" title \"other: loads, stores, dispatch, done before others\"");
}

}  // namespace

std::vector<Figure> attention_figures(const boost::json::array& rows) {
  const std::vector<object> most_keys = with_most(rows, "s_kv_per_rank");
  const double keys = value_at(most_keys.front(), "s_kv_per_rank");
  const std::vector<object> most_ranks = with_most(rows, "ranks");
  const double ranks = value_at(most_ranks.front(), "ranks");
  return {times("attention_time_and_ranks", fmt::format("Attention, {:.0f} keys a rank", keys), most_keys,
                "ranks", "ranks"),
          times("attention_time_and_keys", fmt::format("Attention on {:.0f} ranks", ranks), most_ranks,
                "s_kv", "keys of all ranks"),
          shares(most_keys)};
}

}  // namespace kbsim::report
