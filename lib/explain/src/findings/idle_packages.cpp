#include <algorithm>

#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

struct Span {
  Time from{};
  Time to{};
};

// Length of the union of intervals.
Time covered(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::from);
  Time sum{};
  Time end{};
  for (const Span& span : spans) {
    sum += std::max(Time{0}, span.to - std::max(span.from, end));
    end = std::max(end, span.to);
  }
  return sum;
}

std::optional<Finding> idle_packages(const FindingScene& scene) {
  constexpr double kInSequence = 1.1;
  const Path& path = scene.what.path;
  std::map<int, std::vector<Span>> by_package;
  std::vector<Span> all;
  for (const hw::OrderRecord& launch : scene.launches) {
    const Span span{.from = std::max(path.begin, launch.activity.first_start),
                    .to = std::min(path.end, launch.activity.last_end)};
    if (span.to <= span.from) continue;
    by_package[launch.sip].push_back(span);
    all.push_back(span);
  }
  if (by_package.size() < 2) return std::nullopt;
  Time sum{};
  Time most{};
  int busiest = 0;
  for (auto& [package, spans] : by_package) {
    const Time busy = covered(spans);
    sum += busy;
    if (busy <= most) continue;
    most = busy;
    busiest = package;
  }
  const Time any = covered(std::move(all));
  if (static_cast<double>(sum.count()) > kInSequence * static_cast<double>(any.count())) return std::nullopt;
  return Finding{
      .gain = any - most,
      .evidence = fmt::format("{} packages run kernels one after the other, {} in all; the busiest, "
                              "sip{}, works {} of it",
                              by_package.size(), to_string(any), busiest, to_string(most)),
      .place = fmt::format("sip{}", busiest)};
}
KBSIM_FINDING(idle_packages, {.title = "pipeline: one package works, others are idle",
                              .doc = "time with a kernel on any package - time of the busiest package",
                              .look = idle_packages});

}  // namespace
}  // namespace kbsim::explain
