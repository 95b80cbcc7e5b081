// Results of synthetic traffic as rows.
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "kbsim/report/csv.hpp"
#include "kbsim/report/traffic_report.hpp"

#include "traffic_figures.hpp"

namespace kbsim::report {
namespace {

// Missing values are NaN.
std::string cell_of(double value) { return std::isnan(value) ? "NaN" : fmt::format("{}", value); }

std::string name_of(const topology::TrafficCase& traffic, std::size_t source) {
  return traffic.network.graph.node(traffic.network.sources[source]).name;
}

}  // namespace

std::string traffic_csv(const topology::TrafficCase& traffic, const std::vector<hw::TrafficResult>& points) {
  std::string text =
      "load,offered,accepted,bound,latency_mean_ns,latency_p50_ns,latency_p95_ns,latency_p99_ns,"
      "latency_max_ns,zero_load_ns,service_ns,wait_services,packets,source_min,source_max,fairness,"
      "round_trip_mean_ns,accepted_GBps\n";
  for (const hw::TrafficResult& result : points) {
    const TrafficFigures f{traffic, result};
    const SourceShares shares{result};
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", f.load, result.offered,
                        result.accepted, traffic.bound, f.mean, f.p50, f.p95, f.p99, f.max, f.zero_load,
                        f.service, f.wait, result.latencies.size(), shares.least, shares.most,
                        shares.fairness, cell_of(mean_ns(result.round_trips)), f.gbps);
  }
  return text;
}

std::string traffic_sources_csv(const topology::TrafficCase& traffic,
                                const std::vector<hw::TrafficResult>& points) {
  std::string text = "load,source,offered,accepted,packets,latency_mean_ns\n";
  for (const hw::TrafficResult& result : points) {
    for (const hw::SourceResult& each : result.each) {
      const double latency =
          each.packets == 0 ? std::nan("") : to_ns(each.latency) / static_cast<double>(each.packets);
      text += fmt::format("{},{},{},{},{},{}\n", result.offered / traffic.bound,
                          csv_cell(name_of(traffic, each.source)), each.offered, each.accepted, each.packets,
                          cell_of(latency));
    }
  }
  return text;
}

std::string traffic_links_csv(const topology::TrafficCase& traffic,
                              const std::vector<hw::TrafficResult>& points) {
  std::string text = "load,link,utilization,demand,longest_queue_ns,blocked_ns\n";
  const topology::Graph& graph = traffic.network.graph;
  for (const hw::TrafficResult& result : points) {
    for (const LinkId id : used_links(traffic)) {
      const hw::UnitUse& use = result.use[id.value()];
      text += fmt::format("{},{},{},{},{},{}\n", result.offered / traffic.bound,
                          csv_cell(graph.link_name(id)), result.utilization[id.value()],
                          result.demand[id.value()], to_ns(use.longest), to_ns(result.blocked[id.value()]));
    }
  }
  return text;
}

}  // namespace kbsim::report
