#include "kbsim/report/attention_figures.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

#include "bar_figure.hpp"
#include "figure_style.hpp"
#include "line_figure.hpp"

namespace kbsim::report {
namespace {

using boost::json::object;

double value_at(const object& row, const char* key) { return row.at(key).to_number<double>(); }
std::string panel_of(const object& row) { return std::string{row.at("panel").as_string()}; }

// The rows with the greatest value of a key.
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
  std::map<std::string, std::map<double, double>> panels;
  for (const object& row : rows) panels[panel_of(row)][value_at(row, against)] = value_at(row, "time_us");
  std::vector<Line> lines;
  for (const auto& [panel, points] : panels)
    lines.push_back({.label = panel, .colour = colour_at(lines.size()), .points = points});
  return to_figure({.name = name,
                    .title = title,
                    .x_label = axis,
                    .y_label = "time (us)",
                    .x_column = against,
                    .x = LineFigure::Along::numbers,
                    .lines = lines});
}

Figure shares(const std::vector<object>& rows) {
  std::string data = "run,compute_percent,communication_percent,other_percent";
  for (const object& row : rows) {
    const double compute = 100.0 * value_at(row, "compute_share");
    const double communication = 100.0 * value_at(row, "communication_share");
    data += fmt::format("\n{} x {:.0f},{:.6g},{:.6g},{:.6g}", panel_of(row), value_at(row, "ranks"), compute,
                        communication, 100.0 - compute - communication);
  }
  return to_figure({.name = "attention_communication_and_compute",
                    .title = "Attention: what ranks do, of the kernel's time",
                    .data = data + "\n",
                    .y_label = "of the time, mean of all ranks (%)",
                    .side = BarFigure::Side::stacked,
                    .y = linear_axis(100.0),
                    .bars = {{"an engine computes", colour_at(0)},
                             {"none does, a neighbour is waited for", colour_at(1)},
                             {"other: loads, stores, dispatch, done before others", "gray80"}}});
}

}  // namespace

std::vector<Figure> attention_figures(const boost::json::array& rows) {
  const std::vector<object> most_keys = with_most(rows, "s_kv_per_rank");
  const double keys = value_at(most_keys.front(), "s_kv_per_rank");
  const std::vector<object> most_ranks = with_most(rows, "ranks");
  const double ranks = value_at(most_ranks.front(), "ranks");
  return {
      times("attention_time_and_ranks",
            fmt::format("Attention, {} a rank", counted(std::llround(keys), "key")), most_keys, "ranks",
            "ranks"),
      times("attention_time_and_keys", fmt::format("Attention on {}", counted(std::llround(ranks), "rank")),
            most_ranks, "s_kv", "keys of all ranks"),
      shares(most_keys)};
}

}  // namespace kbsim::report
