#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

std::optional<Finding> credit_stall(const FindingScene& scene) {
  const Path& path = scene.what.path;
  const ClassTimes stalled = during(path, hw::Reason::slot_free);
  const Time gain = stalled[WorkClass::latency];
  if (gain == Time{0}) return std::nullopt;
  return Finding{
      .gain = gain,
      .evidence = fmt::format("waits {} for a free slot of the peer, {} of the path; {} of it is "
                              "latency, which more slots hide",
                              to_string(stalled.all()), share_text(stalled.all(), path), to_string(gain)),
      .place = longest_waiter(scene, hw::Reason::slot_free),
      .key = scene.counts.slots.key};
}
KBSIM_FINDING(credit_stall, {.title = "credit stall: sends wait for slots",
                             .doc = "latency on the path while a send waits for a free slot",
                             .look = credit_stall});

}  // namespace
}  // namespace kbsim::explain
