#include "kbsim/report/traffic.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/statistics.hpp"

namespace kbsim::report {
namespace {

constexpr double kPerNs = 1000.0;

// What a user reads of one point.
struct Figures {
  double load, mean, p50, p95, p99, max, zero_load, service, wait;

  Figures(const topology::TrafficCase& traffic, const hw::TrafficResult& result)
      : load{result.offered / traffic.bound},
        mean{kbsim::mean(result.latencies) / kPerNs},
        p50{quantile(result, 0.50)},
        p95{quantile(result, 0.95)},
        p99{quantile(result, 0.99)},
        max{to_ns(result.latencies.back())},
        zero_load{mean - kbsim::mean(result.waits) / kPerNs},
        service{to_ns(result.service)},
        wait{kbsim::mean(result.waits) / static_cast<double>(result.service.count())} {}

 private:
  static double quantile(const hw::TrafficResult& result, double p) {
    return to_ns(nearest_rank<Time>(result.latencies, p));
  }
};

// The links that a pattern uses.
std::vector<LinkId> used_links(const topology::TrafficCase& traffic) {
  std::vector<LinkId> used;
  for (std::uint32_t i = 0; i < traffic.loads.size(); ++i) {
    if (traffic.loads[i] > 0.0) used.emplace_back(i);
  }
  return used;
}

std::string busiest(const topology::TrafficCase& traffic, const hw::TrafficResult& result) {
  constexpr std::size_t kShown = 5;
  std::vector<LinkId> links = used_links(traffic);
  const auto busy = [&](LinkId id) { return result.utilization[id.value()]; };
  std::ranges::sort(links, {}, [&](LinkId id) { return std::pair{-busy(id), id}; });
  links.resize(std::min(links.size(), kShown));
  std::string text = "busiest links\n";
  for (const LinkId id : links)
    text += fmt::format("  {:<32} {:5.1f} %\n", traffic.network.graph.link_name(id), 100.0 * busy(id));
  return text;
}

}  // namespace

std::string to_text(const topology::TrafficCase& traffic, const hw::TrafficResult& result) {
  const Figures f{traffic, result};
  return fmt::format(
             "rates in packets a service time ({:.4g} ns) and source\n"
             "bound      {:.4f}\n"
             "offered    {:.4f}  ({:.1f} % of the bound)\n"
             "accepted   {:.4f}\n"
             "latency    mean {:.2f} ns, p50 {:.2f}, p95 {:.2f}, p99 {:.2f}, max {:.2f}\n"
             "           {:.2f} ns without load\n"
             "queueing   {:.3f} service times a packet\n"
             "packets    {}\n",
             f.service, traffic.bound, result.offered, 100.0 * f.load, result.accepted, f.mean, f.p50, f.p95,
             f.p99, f.max, f.zero_load, f.wait, result.latencies.size()) +
         busiest(traffic, result);
}

boost::json::object to_json(const topology::TrafficCase& traffic, const hw::TrafficResult& result) {
  const Figures f{traffic, result};
  boost::json::array links;
  for (const LinkId id : used_links(traffic)) {
    links.push_back(
        {{"link", traffic.network.graph.link_name(id)}, {"utilization", result.utilization[id.value()]}});
  }
  return {{"offered", result.offered},
          {"accepted", result.accepted},
          {"bound", traffic.bound},
          {"latency_ns", {{"mean", f.mean}, {"p50", f.p50}, {"p95", f.p95}, {"p99", f.p99}, {"max", f.max}}},
          {"zero_load_ns", f.zero_load},
          {"service_ns", f.service},
          {"wait_services", f.wait},
          {"packets", result.latencies.size()},
          {"links", std::move(links)}};
}

std::string traffic_table(const topology::TrafficCase& traffic,
                          const std::vector<hw::TrafficResult>& points) {
  std::string text = fmt::format("# bound {:.4f} packets a service time and source\n", traffic.bound) +
                     "#   load  offered accepted     mean      p50      p95      p99      max     wait\n"
                     "# (of bound)                   (ns)     (ns)     (ns)     (ns)     (ns)  (serv.)\n";
  for (const hw::TrafficResult& result : points) {
    const Figures f{traffic, result};
    text += fmt::format("{:8.3f} {:8.4f} {:8.4f} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.3f}\n", f.load,
                        result.offered, result.accepted, f.mean, f.p50, f.p95, f.p99, f.max, f.wait);
  }
  return text;
}

std::string traffic_csv(const topology::TrafficCase& traffic, const std::vector<hw::TrafficResult>& points) {
  std::string text =
      "load,offered,accepted,bound,latency_mean_ns,latency_p50_ns,latency_p95_ns,latency_p99_ns,"
      "latency_max_ns,zero_load_ns,service_ns,wait_services,packets\n";
  for (const hw::TrafficResult& result : points) {
    const Figures f{traffic, result};
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", f.load, result.offered, result.accepted,
                        traffic.bound, f.mean, f.p50, f.p95, f.p99, f.max, f.zero_load, f.service, f.wait,
                        result.latencies.size());
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
      text += fmt::format("{},{},{},{},{},{}\n", result.offered / traffic.bound, graph.link_name(id),
                          result.utilization[id.value()], result.demand[id.value()], to_ns(use.longest),
                          to_ns(result.blocked[id.value()]));
    }
  }
  return text;
}

}  // namespace kbsim::report
