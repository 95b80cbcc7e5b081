#include "kbsim/report/traffic_report.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

#include "traffic_figures.hpp"

namespace kbsim::report {
namespace {

std::size_t silent(const topology::TrafficCase& traffic) {
  return traffic.network.sources.size() - traffic.pattern.active.size();
}

std::string silent_text(const topology::TrafficCase& traffic) {
  const std::size_t none = silent(traffic);
  if (none == 0) return "no source is silent";
  return fmt::format(
      "{} of {} silent", none,
      counted(traffic.network.sources.size(), "source is", none == 1 ? "sources is" : "sources are"));
}

std::string quantiles_text(const std::vector<Time>& times) {
  return fmt::format("mean {:.2f} ns, p50 {:.2f}, p95 {:.2f}, p99 {:.2f}, max {:.2f}", mean_ns(times),
                     quantile_ns(times, 0.50), quantile_ns(times, 0.95), quantile_ns(times, 0.99),
                     quantile_ns(times, 1.0));
}

boost::json::object quantiles_json(const std::vector<Time>& times) {
  if (times.empty())
    return {{"mean", nullptr}, {"p50", nullptr}, {"p95", nullptr}, {"p99", nullptr}, {"max", nullptr}};
  return {{"mean", mean_ns(times)},
          {"p50", quantile_ns(times, 0.50)},
          {"p95", quantile_ns(times, 0.95)},
          {"p99", quantile_ns(times, 0.99)},
          {"max", quantile_ns(times, 1.0)}};
}

// Extra lines for a closed loop, for two sizes, and for several sources.
std::string parts_text(const topology::TrafficCase& traffic, const hw::TrafficResult& result) {
  std::string text;
  if (!result.round_trips.empty()) text += fmt::format("round trip {}\n", quantiles_text(result.round_trips));
  for (const hw::SizeResult& size : result.sizes)
    text += fmt::format("  of {:<7} {} ({})\n", to_string(size.bytes), quantiles_text(size.latencies),
                        counted(size.latencies.size(), "packet"));
  const SourceShares shares{result};
  text += fmt::format("a source   accepted {:.4f} to {:.4f}, mean {:.4f}; fairness (Jain) {:.4f}\n",
                      shares.least, shares.most, shares.mean, shares.fairness);
  text += fmt::format("own node   is the target of {:.2f} % of all packets; {}\n",
                      100.0 * own_share(traffic.network, traffic.pattern), silent_text(traffic));
  return text;
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
  const TrafficFigures f{traffic, result};
  return fmt::format(
             "rates in packets a service time ({:.4g} ns) and source\n"
             "bound      {:.4f}\n"
             "offered    {:.4f}  ({:.1f} % of the bound)\n"
             "accepted   {:.4f}  ({:.2f} GB/s of all together)\n"
             "latency    mean {:.2f} ns, p50 {:.2f}, p95 {:.2f}, p99 {:.2f}, max {:.2f}\n"
             "           {:.2f} ns without load\n"
             "queueing   {:.3f} service times a packet\n"
             "packets    {}\n",
             f.service, traffic.bound, result.offered, 100.0 * f.load, result.accepted, f.gbps, f.mean, f.p50,
             f.p95, f.p99, f.max, f.zero_load, f.wait, result.latencies.size()) +
         (result.under_way ? fmt::format("under way  {} when the run ended; their latencies aren't known\n",
                                         *result.under_way)
                           : "") +
         parts_text(traffic, result) + busiest(traffic, result);
}

boost::json::object to_json(const topology::TrafficCase& traffic, const hw::TrafficResult& result) {
  const TrafficFigures f{traffic, result};
  boost::json::array links;
  for (const LinkId id : used_links(traffic)) {
    links.push_back(
        {{"link", traffic.network.graph.link_name(id)}, {"utilization", result.utilization[id.value()]}});
  }
  const SourceShares shares{result};
  boost::json::object json{
      {"offered", result.offered},
      {"accepted", result.accepted},
      {"bound", traffic.bound},
      {"accepted_GBps", f.gbps},
      {"latency_ns", {{"mean", f.mean}, {"p50", f.p50}, {"p95", f.p95}, {"p99", f.p99}, {"max", f.max}}},
      {"zero_load_ns", f.zero_load},
      {"service_ns", f.service},
      {"wait_services", f.wait},
      {"packets", result.latencies.size()},
      {"sources",
       {{"min", shares.least},
        {"mean", shares.mean},
        {"max", shares.most},
        {"fairness", shares.fairness},
        {"silent", silent(traffic)},
        {"own_share", own_share(traffic.network, traffic.pattern)}}},
      {"links", std::move(links)}};
  if (result.under_way) json["under_way"] = *result.under_way;
  if (!result.round_trips.empty()) json["round_trip_ns"] = quantiles_json(result.round_trips);
  if (result.sizes.empty()) return json;
  boost::json::array sizes;
  for (const hw::SizeResult& size : result.sizes)
    sizes.push_back({{"bytes", size.bytes.count()},
                     {"packets", size.latencies.size()},
                     {"latency_ns", quantiles_json(size.latencies)}});
  json["sizes"] = std::move(sizes);
  return json;
}

std::string traffic_table(const topology::TrafficCase& traffic,
                          const std::vector<hw::TrafficResult>& points) {
  std::string text = fmt::format("# bound {:.4f} packets a service time and source\n", traffic.bound) +
                     "#   load  offered accepted     mean      p50      p95      p99      max     wait\n"
                     "# (of bound)                   (ns)     (ns)     (ns)     (ns)     (ns)  (serv.)\n";
  for (const hw::TrafficResult& result : points) {
    const TrafficFigures f{traffic, result};
    text += fmt::format("{:8.3f} {:8.4f} {:8.4f} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.3f}\n", f.load,
                        result.offered, result.accepted, f.mean, f.p50, f.p95, f.p99, f.max, f.wait);
  }
  return text;
}

}  // namespace kbsim::report
