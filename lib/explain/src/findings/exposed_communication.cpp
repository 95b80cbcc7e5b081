#include <algorithm>

#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

bool computes(const Segment& one) {
  return one.reason == hw::Reason::engine || one.reason == hw::Reason::fetch ||
         class_of(one.reason) == WorkClass::memory;
}

std::optional<Finding> exposed_communication(const FindingScene& scene) {
  const Path& path = scene.what.path;
  const ClassTimes waits = during_peer_waits(path);
  const Time exposed = waits[WorkClass::latency] + waits[WorkClass::transfer];
  const Time computing = time_of(path, computes);
  const Time gain = std::min(exposed, computing);
  if (gain == Time{0}) return std::nullopt;
  return Finding{
      .gain = gain,
      .evidence = fmt::format("waits {} for messages of peers, {} of the path, with no engine at work on it; "
                              "{} of computing on the path could hide {}",
                              to_string(exposed), share_text(exposed, path), to_string(computing),
                              gain == exposed ? "all of it" : "as much of it"),
      .place = longest_waiter(scene, hw::Reason::peer_sent)};
}
KBSIM_FINDING(exposed_communication,
              {.title = "exposed communication",
               .doc = "transfer and latency during waits for peers, at most the computing on the path",
               .look = exposed_communication});

}  // namespace
}  // namespace kbsim::explain
