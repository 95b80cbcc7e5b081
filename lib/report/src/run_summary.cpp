#include "kbsim/report/run_summary.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/report/self_profile_report.hpp"

namespace kbsim::report {
namespace {

double a_second(const RunSummary& run, double count) {
  return run.wall.count() > 0.0 ? count / run.wall.count() : 0.0;
}

double mebibytes(Bytes n) { return static_cast<double>(n.count()) / (1024.0 * 1024.0); }

std::string resident(const RunSummary& run) {
  if (run.resident == Bytes{}) return "";
  return fmt::format("{:.1f} MiB of tensors resident from the start, ", mebibytes(run.resident));
}

std::string races(const RunSummary& run) {
  if (run.race_memory == Bytes{}) return "";
  return fmt::format(" ({:.2f} MiB to look for races)", mebibytes(run.race_memory));
}

}  // namespace

Bytes peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Bytes{static_cast<std::int64_t>(usage.ru_maxrss) * 1024};
}

std::string to_text(const RunSummary& run) {
  return fmt::format(
      "simulated {}, {} {}, {:.3f} s wall, {:.2f} M {}/s, {:.3g} us simulated a second, {:.1f} MiB peak "
      "memory{}, {}digest {}",
      to_string(run.simulated), run.events, run.counted, run.wall.count(),
      a_second(run, static_cast<double>(run.events)) / 1e6, run.counted,
      a_second(run, to_ns(run.simulated) / 1000.0), mebibytes(run.peak_memory), races(run), resident(run),
      to_string(run.digest));
}

boost::json::object to_json(const RunSummary& run) {
  boost::json::object all{
      {"simulated_ps", run.simulated.count()},
      {"digest", to_string(run.digest)},
      {"host", {{"wall_s", run.wall.count()}, {"peak_memory_bytes", run.peak_memory.count()}}}};
  if (run.race_memory > Bytes{}) all["host"].as_object()["race_memory_bytes"] = run.race_memory.count();
  if (self_profile::is_on()) all["host"].as_object()["self_profile"] = to_json(self_profile::shares());
  if (run.resident > Bytes{}) all["resident_bytes"] = run.resident.count();
  return all;
}

std::string to_text(const hw::Attribution& messages) {
  const hw::Split& split = messages.split;
  const auto share = [&](Time part) {
    const auto total = static_cast<double>(split.total().count());
    return total > 0.0 ? 100.0 * static_cast<double>(part.count()) / total : 0.0;
  };
  return fmt::format("{}: {:.1f} % overhead, {:.1f} % wire, {:.1f} % drain, {:.1f} % queueing",
                     counted(messages.messages, "message"), share(split.overhead), share(split.wire),
                     share(split.drain), share(split.queueing));
}

boost::json::object to_json(const hw::Attribution& messages) {
  const hw::Split& split = messages.split;
  return {{"messages", messages.messages},        {"total_ns", to_ns(split.total())},
          {"overhead_ns", to_ns(split.overhead)}, {"wire_ns", to_ns(split.wire)},
          {"drain_ns", to_ns(split.drain)},       {"queue_ns", to_ns(split.queueing)}};
}

}  // namespace kbsim::report
