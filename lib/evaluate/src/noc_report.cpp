#include "kbsim/evaluate/noc_report.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/report/scatter.hpp"

namespace kbsim::evaluate {
namespace {

constexpr double kPercent = 100.0;

std::string half_of(const std::string& name) { return is_fitted(name) ? "fitted" : "judged"; }

std::vector<NocTraceErrors> half(const NocColumn& column, bool fitted) {
  std::vector<NocTraceErrors> all;
  for (const NocTraceErrors& trace : column.traces)
    if (is_fitted(trace.name) == fitted) all.push_back(trace);
  return all;
}

std::string cells(const NocErrors& errors) {
  if (errors.barriers == 0) return fmt::format("{:>8}{:>8}{:>8}", "-", "-", "-");
  return fmt::format("{:>8.1f}{:>8.1f}{:>8.1f}", kPercent * errors.mean, kPercent * errors.median,
                     kPercent * errors.p95);
}

std::size_t width_of(const NocColumn& column) {
  std::size_t width = 5;
  for (const NocTraceErrors& trace : column.traces) width = std::max(width, trace.name.size());
  return width + 2;
}

std::string head(const std::vector<NocColumn>& columns, std::size_t width) {
  std::string text = fmt::format("{:<{}}{:<8}{:>9}", "error in %", width, "", "");
  for (const NocColumn& column : columns) text += fmt::format("{:>24}", column.name);
  text += fmt::format("\n{:<{}}{:<8}{:>9}", "trace", width, "half", "barriers");
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("{:>8}{:>8}{:>8}", "mean", "median", "p95");
  return text + '\n';
}

std::string totals(const std::vector<NocColumn>& columns, bool fitted, std::size_t width) {
  const NocMeans first = means_of(half(columns.front(), fitted));
  if (first.traces == 0) return {};
  std::string text = fmt::format("{:<{}}{:<8}{:>9}", "all barriers", width, fitted ? "fitted" : "judged",
                                 first.all.barriers);
  std::string traces = fmt::format("{:<{}}{:<8}{:>9}", "mean of the traces", width,
                                   fitted ? "fitted" : "judged", fmt::format("({})", first.traces));
  for (const NocColumn& column : columns) {
    const NocMeans means = means_of(half(column, fitted));
    text += cells(means.all);
    traces += fmt::format("{:>8.1f}{:>16}", kPercent * means.of_traces, "");
  }
  return text + '\n' + traces.substr(0, traces.find_last_not_of(' ') + 1) + '\n';
}

std::string worst_of(const NocColumn& column) {
  const NocTraceErrors* worst_trace = nullptr;
  const hw::NocBarrier* worst = nullptr;
  for (const NocTraceErrors& trace : column.traces) {
    for (const hw::NocBarrier& barrier : trace.barriers) {
      if (!is_judged(barrier) || (worst != nullptr && error_of(barrier) <= error_of(*worst))) continue;
      worst = &barrier;
      worst_trace = &trace;
    }
  }
  if (worst == nullptr) return {};
  return fmt::format(
      "worst ({}): {}, node {}, barrier of the read at cycle {}: measured {} cycles, predicted {:.0f}"
      " ({:.0f} %)\n",
      column.name, worst_trace->name, worst->node, worst->first, worst->measured, worst->predicted,
      kPercent * error_of(*worst));
}

boost::json::object json_of(const NocErrors& errors) {
  return {{"barriers", errors.barriers},
          {"mean", errors.mean},
          {"median", errors.median},
          {"p95", errors.p95},
          {"worst", errors.worst}};
}

}  // namespace

std::string noc_table(const std::vector<NocColumn>& columns) {
  const std::size_t width = std::max<std::size_t>(width_of(columns.front()), 20);
  std::string text = head(columns, width);
  for (std::size_t i = 0; i < columns.front().traces.size(); ++i) {
    const NocTraceErrors& trace = columns.front().traces[i];
    text += fmt::format("{:<{}}{:<8}{:>9}", trace.name, width, half_of(trace.name), trace.errors().size());
    for (const NocColumn& column : columns) text += cells(errors_of(column.traces[i].errors()));
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
    for (const NocTraceErrors& trace : column.traces) {
      boost::json::object row = json_of(errors_of(trace.errors()));
      row["trace"] = trace.name;
      row["half"] = half_of(trace.name);
      traces.push_back(std::move(row));
    }
    boost::json::object own{{"traces", std::move(traces)}};
    for (const bool fitted : {true, false}) {
      const NocMeans means = means_of(half(column, fitted));
      boost::json::object total = json_of(means.all);
      total["mean_of_traces"] = means.of_traces;
      own[fitted ? "fitted" : "judged"] = std::move(total);
    }
    result[column.name] = std::move(own);
  }
  return result;
}

std::string noc_barriers_csv(const std::vector<NocColumn>& columns) {
  std::string text = "run,trace,half,node,first_cycle,transfers,measured_cycles,predicted_cycles,error\n";
  for (const NocColumn& column : columns) {
    for (const NocTraceErrors& trace : column.traces) {
      for (const hw::NocBarrier& b : trace.barriers) {
        if (!is_judged(b)) continue;
        text +=
            fmt::format("{},{},{},{},{},{},{},{:.3f},{:.6f}\n", column.name, trace.name, half_of(trace.name),
                        b.node, b.first, b.transfers, b.measured, b.predicted, error_of(b));
      }
    }
  }
  return text;
}

std::string noc_scatter_csv(const NocColumn& column) {
  std::string text = "half,measured,predicted\n";
  for (const NocTraceErrors& trace : column.traces)
    for (const hw::NocBarrier& b : trace.barriers)
      if (is_judged(b)) text += fmt::format("{},{},{:.3f}\n", half_of(trace.name), b.measured, b.predicted);
  return text;
}

std::string noc_scatter_script(const NocColumn& column, const std::string& name) {
  report::Scatter scatter{.name = name,
                          .title = "Barriers of recorded NOC traces, " + column.name,
                          .unit = "cycles",
                          .first = "fitted",
                          .second = "judged",
                          .least = 1e18,
                          .most = 1.0};
  for (const NocTraceErrors& trace : column.traces) {
    for (const hw::NocBarrier& b : trace.barriers) {
      if (!is_judged(b)) continue;
      const auto measured = static_cast<double>(b.measured);
      scatter.least = std::min({scatter.least, measured, b.predicted});
      scatter.most = std::max({scatter.most, measured, b.predicted});
    }
  }
  scatter.least = std::min(scatter.least, scatter.most);
  return report::scatter_script(scatter);
}

}  // namespace kbsim::evaluate
