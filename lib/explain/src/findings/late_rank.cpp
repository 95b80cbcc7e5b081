#include <algorithm>

#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

// The path passes this order if one of its segments begins when it is sent.
bool passes(const Path& path, Time sent) {
  return std::ranges::any_of(path.segments, [&](const Segment& one) { return one.from == sent; });
}

std::optional<Finding> late_in(const FindingScene& scene, const RankLaunches& round) {
  const Path& path = scene.what.path;
  const hw::OrderRecord& late = **std::ranges::max_element(round, {}, &hw::OrderRecord::sent);
  std::map<int, double> sent;
  for (const hw::OrderRecord* launch : round) sent[launch->rank] = static_cast<double>(launch->sent.count());
  // Ranks that have ended by then don't wait for it.
  const bool all_wait =
      std::ranges::all_of(round, [&](const hw::OrderRecord* one) { return one->reported > late.sent; });
  if (!all_wait || sent.size() != round.size() || !passes(path, late.sent)) return std::nullopt;
  const Time mean = rounded_time(mean_of_others(sent, late.rank));
  const Time gain = std::min(late.sent - mean, late.sent - path.begin);
  if (gain <= Time{0}) return std::nullopt;
  return Finding{
      .gain = gain,
      .evidence = fmt::format("rank {} enters {} {} after the mean of the other {}, which wait for it",
                              late.rank, late.kernel_name, to_string(late.sent - mean), round.size() - 1),
      .place = fmt::format("sip{}", late.sip)};
}

std::optional<Finding> late_rank(const FindingScene& scene) {
  std::optional<Finding> best;
  for (const RankLaunches& round : rounds_of(scene)) {
    std::optional<Finding> found = late_in(scene, round);
    if (found && (!best || found->gain > best->gain)) best = std::move(found);
  }
  return best;
}
KBSIM_FINDING(late_rank, {.title = "load imbalance: a rank comes late",
                          .doc = "time of the last rank's order - mean of the others' orders",
                          .of_ranks = true,
                          .look = late_rank});

}  // namespace
}  // namespace kbsim::explain
