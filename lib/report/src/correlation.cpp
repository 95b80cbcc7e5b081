#include "kbsim/report/correlation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/report/csv.hpp"
#include "kbsim/report/ranking.hpp"
#include "kbsim/report/text_table.hpp"

#include "figure_style.hpp"
#include "plot_axis.hpp"
#include "replaced.hpp"

namespace kbsim::report {
namespace {

using Curve = std::map<double, double>;  // time by size
using Curves = std::map<std::string, Curve>;

constexpr std::array kNames{"sip_topology", "world_size", "algorithm", "buffer_kind", "type", "redop"};

void require_columns(const CsvTable& table) {
  for (const char* column : {"size", "time"}) {
    if (table.has(column)) continue;
    const std::string near = nearest_name(column, table.columns);
    throw UsageError{fmt::format("{}: no column '{}' (expected size, in bytes, and time, in us){}",
                                 table.source, column,
                                 near.empty() ? "" : fmt::format("; '{}' may be a misspelling of it", near))};
  }
}

// Values outside this range are errors; with them, results could be infinite.
constexpr double kLeast = 1e-12;
constexpr double kMost = 1e18;

double positive(const CsvTable& table, std::size_t row, const char* column) {
  const double value = number_in(table, row, column);
  if (value >= kLeast && value <= kMost) return value;
  const std::string expected =
      value > 0.0 ? fmt::format("from {:g} to {:g}", kLeast, kMost) : std::string{"positive"};
  throw UsageError{fmt::format("{}: row {}, column {}: must be {}, got {}", table.source, row + 1, column,
                               expected, value)};
}

std::string curve_of(const CsvTable& table, std::size_t row, const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + table.rows[row].at(name);
  return all;
}

Curves curves_of(const CsvTable& table, const std::vector<std::string>& names) {
  Curves curves;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string name = curve_of(table, row, names);
    const double size = positive(table, row, "size");
    if (curves[name].emplace(size, positive(table, row, "time")).second) continue;
    throw UsageError{fmt::format("{}: row {}: two times for {}{}{}", table.source, row + 1,
                                 counted(std::llround(size), "byte"), name.empty() ? "" : " of ", name)};
  }
  return curves;
}

std::vector<std::string> names_of_both(const CsvTable& simulated, const CsvTable& reference) {
  std::vector<std::string> names;
  for (const char* name : kNames) {
    if (simulated.has(name) && reference.has(name)) names.emplace_back(name);
  }
  return names;
}

// The names of a table's curves; without columns that name them there is one.
std::set<std::string> names_in(const CsvTable& table, const std::vector<std::string>& columns) {
  std::set<std::string> names;
  for (std::size_t row = 0; row < table.rows.size(); ++row) names.insert(curve_of(table, row, columns));
  return names;
}

std::set<std::string> common(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

std::string range_of_sizes(const CsvTable& table, const std::vector<std::string>& columns,
                           const std::set<std::string>& curves) {
  std::vector<double> sizes;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (curves.contains(curve_of(table, row, columns))) sizes.push_back(number_in(table, row, "size"));
  }
  const auto [least, most] = std::ranges::minmax(sizes);
  return least == most ? fmt::format("{} bytes", least) : fmt::format("{} to {} bytes", least, most);
}

// The reason why no simulated point has a reference time, and a remedy.
std::string why_apart(const CsvTable& simulated, const CsvTable& reference,
                      const std::vector<std::string>& names) {
  const auto both = [&](const std::vector<std::string>& columns) {
    return common(names_in(reference, columns), names_in(simulated, columns));
  };
  const auto differ = [&](const std::vector<std::string>& columns) {
    return fmt::format("column{} {}: '{}' here, '{}' in {}; give equal things equal names, or leave {} out",
                       columns.size() > 1 ? "s" : "", fmt::join(columns, ", "),
                       fmt::join(names_in(reference, columns), ", "),
                       fmt::join(names_in(simulated, columns), ", "), simulated.source,
                       columns.size() > 1 ? "one" : "it");
  };
  const auto apart =
      std::ranges::find_if(names, [&](const std::string& name) { return both({name}).empty(); });
  if (apart != names.end()) return differ({*apart});
  const std::set<std::string> curves = both(names);
  if (curves.empty()) return differ(names);
  return fmt::format("column size: {} here, {} in {}{}; no size of those is between two of these: add some",
                     range_of_sizes(reference, names, curves), range_of_sizes(simulated, names, curves),
                     simulated.source,
                     names.empty() ? "" : fmt::format(" (of equal {})", fmt::join(names, ", ")));
}

std::optional<double> at(const Curve& curve, double size) {
  const auto above = curve.lower_bound(size);
  if (above == curve.end()) return std::nullopt;
  if (above->first == size) return above->second;
  if (above == curve.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const double share = std::log(size / below->first) / std::log(above->first / below->first);
  return below->second * std::pow(above->second / below->second, share);
}

// A log gives its ranks in a separate column, which isn't world_size.
std::string other_ranks(const CsvTable& simulated, const CsvTable& reference) {
  if (!simulated.has("world_size") || !reference.has("ranks")) return {};
  const std::set<std::string> mine = names_in(simulated, {"world_size"});
  const std::set<std::string> theirs = names_in(reference, {"ranks"});
  if (!common(mine, theirs).empty()) return {};
  return fmt::format("{} ranks, simulated {}", fmt::join(theirs, ", "), fmt::join(mine, ", "));
}

constexpr const char* kPoints = R"gnuplot(plot "NAME.csv" using 4:3 with points pointtype 7 pointsize 1.5 \
    linecolor "#0072b2" title "points", \
    x with lines linewidth 3 linecolor "GREY" title "equal", \
    1.1 * x with lines dashtype (12, 8) linewidth 3 linecolor "GREY" title "10 % more", \
    x / 1.1 with lines dashtype (4, 8) linewidth 3 linecolor "GREY" title "10 % less")gnuplot";

Axis axis_of(const Correlation& correlation, double CorrelationPoint::* time) {
  const auto [least, most] = std::ranges::minmax(correlation.points, {}, time);
  return log_axis(least.*time, most.*time);
}

}  // namespace

double Correlation::mape_percent() const {
  double sum = 0.0;
  for (const CorrelationPoint& point : points) sum += std::abs(point.error_percent());
  return sum / static_cast<double>(points.size());
}

double Correlation::geometric_mean() const {
  double sum = 0.0;
  for (const CorrelationPoint& point : points) sum += std::log(point.simulated / point.reference);
  return std::exp(sum / static_cast<double>(points.size()));
}

const CorrelationPoint& Correlation::worst() const {
  const auto distance = [](const CorrelationPoint& point) {
    return std::abs(std::log(point.simulated / point.reference));
  };
  return *std::ranges::max_element(points, {}, distance);
}

Correlation correlate(const CsvTable& simulated, const CsvTable& reference) {
  require_columns(simulated);
  require_columns(reference);
  const std::vector<std::string> names = names_of_both(simulated, reference);
  const bool named = std::ranges::find(names, "algorithm") != names.end();
  std::vector<std::string> others = names;
  std::erase(others, "algorithm");
  const Curves curves = curves_of(reference, names);
  Correlation result;
  for (std::size_t row = 0; row < simulated.rows.size(); ++row) {
    CorrelationPoint point{.of = curve_of(simulated, row, names),
                           .size = positive(simulated, row, "size"),
                           .simulated = positive(simulated, row, "time"),
                           .algorithm = named ? simulated.rows[row].at("algorithm") : std::string{},
                           .others = curve_of(simulated, row, others)};
    const auto curve = curves.find(point.of);
    const std::optional<double> time = curve == curves.end() ? std::nullopt : at(curve->second, point.size);
    if (time) {
      point.reference = *time;
      result.points.push_back(point);
    } else {
      ++result.outside;
    }
  }
  result.other_ranks = other_ranks(simulated, reference);
  if (result.points.empty())
    throw UsageError{fmt::format("{}: {}", reference.source, why_apart(simulated, reference, names))};
  return result;
}

void require_reference(const CsvTable& table) {
  require_columns(table);
  (void)curves_of(table, names_of_both(table, table));
}

std::string to_text(const Correlation& correlation) {
  TextTable table{{{.title = "curve", .is_text = true},
                   {.title = "size", .unit = "(B)"},
                   {.title = "simulated", .unit = "(us)"},
                   {.title = "reference", .unit = "(us)"},
                   {.title = "error", .unit = "(%)"}},
                  Columns::usual};
  for (const CorrelationPoint& point : correlation.points)
    table.add({point.of.empty() ? "-" : point.of, fmt::format("{:.0f}", point.size),
               fmt::format("{:.3f}", point.simulated), fmt::format("{:.3f}", point.reference),
               fmt::format("{:+.2f}", point.error_percent())});
  std::string text = table.text();
  const CorrelationPoint& worst = correlation.worst();
  text += wrapped(
      fmt::format(" {}: mean error {:.2f} % (MAPE), geometric mean of simulated/reference {:.4f}\n"
                  " worst: {:+.2f} % at {}{}{}\n",
                  counted(correlation.points.size(), "point"), correlation.mape_percent(),
                  correlation.geometric_mean(), worst.error_percent(),
                  counted(std::llround(worst.size), "byte"), worst.of.empty() ? "" : " of ", worst.of),
      3);
  if (correlation.outside > 0)
    text += fmt::format(" {} outside the reference\n",
                        counted(correlation.outside, "simulated point is", "simulated points are"));
  if (!correlation.other_ranks.empty())
    text += fmt::format(" the reference is of another number of ranks: {}\n", correlation.other_ranks);
  const Ranking ranking = rank(correlation);
  return ranking.sizes.empty() ? text : text + wrapped(to_text(ranking), 3);
}

boost::json::object to_json(const Correlation& correlation) {
  boost::json::array points;
  for (const CorrelationPoint& point : correlation.points) {
    points.push_back({{"curve", point.of},
                      {"size", point.size},
                      {"simulated_us", point.simulated},
                      {"reference_us", point.reference},
                      {"error_percent", point.error_percent()}});
  }
  const CorrelationPoint& worst = correlation.worst();
  boost::json::object all{
      {"points", std::move(points)},
      {"mape_percent", correlation.mape_percent()},
      {"geometric_mean", correlation.geometric_mean()},
      {"worst", {{"curve", worst.of}, {"size", worst.size}, {"error_percent", worst.error_percent()}}},
      {"outside", correlation.outside}};
  if (!correlation.other_ranks.empty()) all["other_ranks"] = correlation.other_ranks;
  const Ranking ranking = rank(correlation);
  if (!ranking.sizes.empty()) all["ranking"] = to_json(ranking);
  return all;
}

Figure correlation_figure(const Correlation& correlation) {
  std::string data = "curve,size,simulated_us,reference_us,error_percent\n";
  for (const CorrelationPoint& point : correlation.points) {
    data += fmt::format("{},{:.0f},{:.6g},{:.6g},{:.4f}\n", csv_cell(point.of), point.size, point.simulated,
                        point.reference, point.error_percent());
  }
  const std::string name = "simulated_and_reference";
  const std::string settings = fmt::format(
      "set key top left Left reverse\nset xlabel \"reference (us)\"\nset ylabel \"simulated (us)\"\n{}{}",
      axis_of(correlation, &CorrelationPoint::reference).settings('x'),
      axis_of(correlation, &CorrelationPoint::simulated).settings('y'));
  const std::string title =
      fmt::format("Simulated against reference: MAPE {:.2f} %", correlation.mape_percent());
  const std::string plot = replaced(kPoints, "GREY", std::string{kBoundColour});
  return {.name = name,
          .data = data,
          .script = script_of({.name = name, .title = title, .settings = settings, .plot = plot})};
}

}  // namespace kbsim::report
