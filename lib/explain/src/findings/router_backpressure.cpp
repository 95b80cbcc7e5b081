#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

std::optional<Finding> router_backpressure(const FindingScene& scene) {
  const Path& path = scene.what.path;
  ClassTimes blocked;
  hw::Reason longest = hw::Reason::room_ahead;
  for (const hw::Reason wait : {hw::Reason::room_ahead, hw::Reason::channel, hw::Reason::queue_head}) {
    blocked += during(path, wait);
    if (during(path, wait).all() > during(path, longest).all()) longest = wait;
  }
  const Time gain = blocked[WorkClass::latency];
  if (gain == Time{0}) return std::nullopt;
  return Finding{
      .gain = gain,
      .evidence = fmt::format("packets wait {} at routers, {} of the path, most for {}; {} of it is "
                              "latency of credits and hops",
                              to_string(blocked.all()), share_text(blocked.all(), path), wait_name(longest),
                              to_string(gain)),
      .place = longest_waiter(scene, longest)};
}
KBSIM_FINDING(router_backpressure,
              {.title = "backpressure in routers",
               .doc = "latency on the path while a packet waits for room in the next router, "
                      "a virtual channel or the packet before it",
               .look = router_backpressure});

}  // namespace
}  // namespace kbsim::explain
