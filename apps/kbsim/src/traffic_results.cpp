#include "traffic_results.hpp"

#include <cstdio>
#include <iostream>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/model_version.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/report/traffic_report.hpp"

namespace kbsim::app {
namespace {

using Points = std::vector<hw::TrafficResult>;

boost::json::object points_json(const topology::TrafficCase& traffic, const Points& points) {
  boost::json::array all;
  for (const hw::TrafficResult& point : points) all.push_back(report::to_json(traffic, point));
  return {{"points", std::move(all)}};
}

boost::json::object results_json(bool sweep, const topology::TrafficCase& traffic,
                                 const TrafficMeasured& measured) {
  const bool one = !sweep && !measured.points.empty();
  boost::json::object result =
      one ? report::to_json(traffic, measured.points.front()) : points_json(traffic, measured.points);
  result["model_version"] = kModelVersion;
  if (!measured.whole) result["interrupted"] = true;
  return result;
}

std::string title_of(const TrafficOptions& options) {
  const std::string what = fmt::format("{}, {}", options.scope, options.network.pattern);
  if (options.request.outstanding > 0) return what + ", closed loop";
  return fmt::format("{}, {} arrivals", what, options.arrivals.value_or("poisson"));
}

}  // namespace

report::RunRecord traffic_record(const Arguments& arguments, std::optional<std::int64_t> seed,
                                 const config::MachineSpec& spec, bool whole) {
  return {.command = "traffic",
          .arguments = arguments,
          .seed = seed.value_or(1),
          .configuration = report::configuration_text(spec, nullptr),
          .whole = whole};
}

void write(const report::OutputFolder& folder, const TrafficOptions& options, const report::RunRecord& run,
           const topology::TrafficCase& traffic, const TrafficMeasured& measured,
           const report::RunSummary& summary) {
  const Points& points = measured.points;
  folder.write("summary.json",
               boost::json::object{{"schema_version", 1},
                                   {"title", title_of(options)},
                                   {"result", results_json(options.sweep, traffic, measured)}});
  if (options.scope.starts_with("sip"))
    folder.remove("network.json");
  else
    folder.write("network.json", report::network_json(traffic.network.graph));
  folder.write("results.csv", report::traffic_csv(traffic, points));
  folder.write("sources.csv", report::traffic_sources_csv(traffic, points));
  folder.write("links.csv", report::traffic_links_csv(traffic, points));
  if (options.sweep) folder.write("load_latency.csv", report::traffic_csv(traffic, points));
  folder.write_run(run, summary);
  if (!options.sweep) return;
  folder.draw("load_latency.gp",
              report::load_latency_script("load_latency", title_of(options), traffic, points));
}

void print(const TrafficOptions& options, const topology::TrafficCase& traffic,
           const TrafficMeasured& measured) {
  const Points& points = measured.points;
  if (options.json) {
    std::cout << json_as_utf8(boost::json::serialize(results_json(options.sweep, traffic, measured))) << '\n';
    return;
  }
  fmt::print(
      "{}, {}\n{}", title_of(options), options.network.packets_text(options.request),
      options.sweep ? report::traffic_table(traffic, points) : report::to_text(traffic, points.front()));
  if (!measured.whole)
    fmt::print("{}: these are the {} that had {}, the rest is missing\n",
               measured.failed ? "failed" : "interrupted", options.sweep ? "points" : "packets",
               options.sweep ? "ended" : "arrived");
  std::fflush(stdout);
}

}  // namespace kbsim::app
