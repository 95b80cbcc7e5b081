#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

std::optional<Finding> hbm_refresh(const FindingScene& scene) {
  const Path& path = scene.what.path;
  std::map<std::uint32_t, Time> by_memory;
  const Time gain = time_of(path, [&](const Segment& one) {
    const bool is_refresh = one.reason == hw::Reason::refresh || one.reason == hw::Reason::refresh_wait;
    if (is_refresh) by_memory[one.place] += one.length();
    return is_refresh;
  });
  if (gain == Time{0}) return std::nullopt;
  std::uint32_t longest = by_memory.begin()->first;
  for (const auto& [place, time] : by_memory) longest = time > by_memory.at(longest) ? place : longest;
  return Finding{.gain = gain,
                 .evidence = fmt::format("the path waits {} for refreshes, {} of it", to_string(gain),
                                         share_text(gain, path)),
                 .place = scene.machine.graph().node(NodeId{longest}).name,
                 .key = "cube.hbm_ctrl.trefi_ns"};
}
KBSIM_FINDING(hbm_refresh,
              {.title = "refresh of HBM", .doc = "time of refreshes on the path", .look = hbm_refresh});

}  // namespace
}  // namespace kbsim::explain
