#include "kbsim/report/memory_traffic_report.hpp"

#include <span>

#include <fmt/format.h>

#include "kbsim/base/statistics.hpp"

namespace kbsim::report {
namespace {

using Latencies = std::span<const Time>;

double effective_gbs(const hw::MemoryTrafficResult& result) { return result.raw.gbs() * result.efficiency(); }

double quantile_ns(Latencies latencies, double p) { return to_ns(nearest_rank<Time>(latencies, p)); }

double mean_ns(Latencies latencies) { return kbsim::mean(latencies) / 1000.0; }

std::string line(const char* what, Latencies latencies) {
  if (latencies.empty()) return "";
  return fmt::format("{:<10} mean {:.2f} ns, p50 {:.2f}, p95 {:.2f}, p99 {:.2f}, max {:.2f}, of {}\n", what,
                     mean_ns(latencies), quantile_ns(latencies, 0.50), quantile_ns(latencies, 0.95),
                     quantile_ns(latencies, 0.99), to_ns(latencies.back()), latencies.size());
}

boost::json::object object(Latencies latencies) {
  if (latencies.empty()) return {{"accesses", 0}};
  return {{"accesses", latencies.size()},        {"mean", mean_ns(latencies)},
          {"p50", quantile_ns(latencies, 0.50)}, {"p95", quantile_ns(latencies, 0.95)},
          {"p99", quantile_ns(latencies, 0.99)}, {"max", to_ns(latencies.back())}};
}

}  // namespace

std::string to_text(const hw::MemoryTrafficResult& result) {
  return fmt::format("efficiency {:.4f}  ({:.2f} of {:.2f} GB/s)\n", result.efficiency(),
                     effective_gbs(result), result.raw.gbs()) +
         line("reads", result.reads) + line("writes", result.writes) +
         fmt::format("bytes      {} in {}\n", result.bytes.count(), to_string(result.simulated));
}

boost::json::object to_json(const hw::MemoryTrafficResult& result) {
  return {{"efficiency", result.efficiency()},
          {"rate_gbs", effective_gbs(result)},
          {"raw_gbs", result.raw.gbs()},
          {"bytes", result.bytes.count()},
          {"simulated_ns", to_ns(result.simulated)},
          {"read_latency_ns", object(result.reads)},
          {"write_latency_ns", object(result.writes)}};
}

std::string memory_traffic_csv(const hw::MemoryTrafficResult& result) {
  std::string text =
      "efficiency,rate_gbs,raw_gbs,bytes,simulated_ns,accesses,mean_read_ns,p99_read_ns,mean_write_ns,"
      "p99_write_ns\n" +
      fmt::format("{:.6f},{:.4f},{:.4f},{},{:.3f},{}", result.efficiency(), effective_gbs(result),
                  result.raw.gbs(), result.bytes.count(), to_ns(result.simulated),
                  result.reads.size() + result.writes.size());
  for (const Latencies latencies : {Latencies{result.reads}, Latencies{result.writes}}) {
    text += latencies.empty()
                ? std::string{",,"}
                : fmt::format(",{:.3f},{:.3f}", mean_ns(latencies), quantile_ns(latencies, 0.99));
  }
  return text + "\n";
}

std::string memory_latencies_csv(const hw::MemoryTrafficResult& result) {
  constexpr int kRows = 100;
  struct Kind {
    const char* name;
    Latencies latencies;
  };
  std::string text = "access,share,latency_ns\n";
  for (const Kind& kind : {Kind{"read", result.reads}, Kind{"write", result.writes}}) {
    if (kind.latencies.empty()) continue;
    for (int i = 1; i <= kRows; ++i)
      text += fmt::format("{},{:.2f},{:.3f}\n", kind.name, static_cast<double>(i) / kRows,
                          quantile_ns(kind.latencies, static_cast<double>(i) / kRows));
  }
  return text;
}

}  // namespace kbsim::report
