#include "kbsim/evaluate/noc_report.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/report/csv.hpp"
#include "kbsim/report/scatter.hpp"

namespace kbsim::evaluate {
namespace {

constexpr double kPercent = 100.0;

std::string half_of(bool fitted) { return fitted ? "fitted" : "judged"; }
std::string half_of(const std::string& name) { return half_of(is_fitted(name)); }

std::string cells(const NocErrors& errors) {
  if (errors.barriers == 0) return fmt::format("{:>8}{:>8}{:>8}", "-", "-", "-");
  return fmt::format("{:>8.1f}{:>8.1f}{:>8.1f}", kPercent * errors.mean, kPercent * errors.median,
                     kPercent * errors.p95);
}

std::size_t width_of(const NocColumn& column) {
  std::size_t width = 5;
  for (const NocTraceErrors& trace : column.traces()) width = std::max(width, trace.name.size());
  return width + 2;
}

std::string head(const std::vector<NocColumn>& columns, std::size_t width) {
  std::string text = fmt::format("{:<{}}{:<8}{:>9}", "error in %", width, "", "");
  for (const NocColumn& column : columns) text += fmt::format("{:>24}", column.label());
  text += fmt::format("\n{:<{}}{:<8}{:>9}", "trace", width, "half", "barriers");
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("{:>8}{:>8}{:>8}", "mean", "median", "p95");
  return text + '\n';
}

std::string totals(const std::vector<NocColumn>& columns, bool fitted, std::size_t width) {
  const NocHalf& first = columns.front().half(fitted);
  if (first.traces() == 0) return {};
  std::string text =
      fmt::format("{:<{}}{:<8}{:>9}", "all barriers", width, half_of(fitted), first.all().barriers);
  std::string traces = fmt::format("{:<{}}{:<8}{:>9}", "mean of the traces", width, half_of(fitted),
                                   fmt::format("({})", first.traces()));
  for (const NocColumn& column : columns) {
    text += cells(column.half(fitted).all());
    traces += fmt::format("{:>8.1f}{:>16}", kPercent * column.half(fitted).mean_of_traces(), "");
  }
  return text + '\n' + traces.substr(0, traces.find_last_not_of(' ') + 1) + '\n';
}

std::string worst_of(const NocColumn& column) {
  if (column.worst() == nullptr) return {};
  const hw::NocBarrier& worst = column.worst()->barrier;
  return fmt::format(
      "worst ({}): {}, node {}, barrier of the read at cycle {}: measured {} cycles, predicted {:.0f}"
      " ({:.0f} %)\n",
      column.label(), column.worst()->trace, worst.node, worst.first, worst.measured, worst.predicted,
      kPercent * error_of(worst));
}

boost::json::object json_of(const NocErrors& errors) {
  return {{"barriers", errors.barriers},
          {"mean", errors.mean},
          {"median", errors.median},
          {"p95", errors.p95},
          {"worst", errors.worst}};
}

boost::json::object json_of(const NocColumn::Worst& worst) {
  return {{"trace", worst.trace},
          {"node", worst.barrier.node},
          {"first_cycle", worst.barrier.first},
          {"measured_cycles", worst.barrier.measured},
          {"predicted_cycles", worst.barrier.predicted},
          {"error", error_of(worst.barrier)}};
}

}  // namespace

std::string noc_table(const std::vector<NocColumn>& columns) {
  const std::size_t width = std::max<std::size_t>(width_of(columns.front()), 20);
  std::string text = head(columns, width);
  for (std::size_t i = 0; i < columns.back().traces().size();
       ++i) {  // other columns have more rows if interrupted
    const NocTraceErrors& trace = columns.front().traces()[i];
    text += fmt::format("{:<{}}{:<8}{:>9}", trace.name, width, half_of(trace.name), trace.errors.barriers);
    for (const NocColumn& column : columns) text += cells(column.traces()[i].errors);
    text += '\n';
  }
  text += totals(columns, true, width) + totals(columns, false, width);
  for (const NocColumn& column : columns) text += worst_of(column);
  return text;
}

boost::json::object noc_json(const std::vector<NocColumn>& columns) {
  boost::json::object result;
  for (const NocColumn& column : columns) {
    boost::json::array traces;
    for (const NocTraceErrors& trace : column.traces()) {
      boost::json::object row = json_of(trace.errors);
      row["trace"] = trace.name;
      row["half"] = half_of(trace.name);
      traces.push_back(std::move(row));
    }
    boost::json::object own{{"traces", std::move(traces)}};
    for (const bool fitted : {true, false}) {
      boost::json::object total = json_of(column.half(fitted).all());
      total["mean_of_traces"] = column.half(fitted).mean_of_traces();
      total["traces"] = column.half(fitted).traces();
      own[half_of(fitted)] = std::move(total);
    }
    if (column.worst() != nullptr) own["worst"] = json_of(*column.worst());
    result[column.label()] = std::move(own);
  }
  return result;
}

std::string noc_barriers_head() {
  return "run,trace,half,node,first_cycle,transfers,measured_cycles,predicted_cycles,error\n";
}

std::string noc_barrier_row(std::string_view column, const std::string& trace, const hw::NocBarrier& b) {
  return fmt::format("{},{},{},{},{},{},{},{:.3f},{:.6f}\n", report::csv_cell(column),
                     report::csv_cell(trace), half_of(trace), b.node, b.first, b.transfers, b.measured,
                     b.predicted, error_of(b));
}

std::string noc_scatter_csv(const NocColumn& column) {
  std::string text = "half,measured,predicted\n";
  for (const NocColumn::Point& point : column.points())
    text += fmt::format("{},{},{:.3f}\n", half_of(point.fitted), point.measured, point.predicted);
  return text;
}

std::string noc_scatter_script(const NocColumn& column, const std::string& name) {
  std::string title = "Barriers of recorded NOC traces, " + column.label();
  if (column.barriers_a_point() > 1) title += fmt::format(", one of {}", column.barriers_a_point());
  report::Scatter scatter{.name = name,
                          .title = std::move(title),
                          .unit = "cycles",
                          .first = "fitted",
                          .second = "judged",
                          .has_first = false,
                          .has_second = false,
                          .least = 1e18,
                          .most = 1.0};
  for (const NocColumn::Point& point : column.points()) {
    (point.fitted ? scatter.has_first : scatter.has_second) = true;
    const auto measured = static_cast<double>(point.measured);
    scatter.least = std::min({scatter.least, measured, point.predicted});
    scatter.most = std::max({scatter.most, measured, point.predicted});
  }
  scatter.least = std::min(scatter.least, scatter.most);
  return report::scatter_script(scatter);
}

}  // namespace kbsim::evaluate
