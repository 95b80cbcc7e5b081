#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

constexpr std::int64_t kMuchMore = 4;

// Mean bytes of the path's packets.
double packet_bytes(const Path& path) {
  double bytes = 0.0;
  double packets = 0.0;
  for (const Segment& one : path.segments) {
    if (one.reason != hw::Reason::serialization || one.count < 1) continue;
    bytes += static_cast<double>(one.amount) * static_cast<double>(one.count);
    packets += static_cast<double>(one.count);
  }
  return packets > 0.0 ? bytes / packets : 0.0;
}

std::optional<Finding> small_messages(const FindingScene& scene) {
  const Path& path = scene.what.path;
  const ClassTimes waits = during_peer_waits(path);
  const Time latency = waits[WorkClass::latency];
  const Time transfer = waits[WorkClass::transfer];
  const double bytes = packet_bytes(path);
  if (bytes == 0.0 || transfer == Time{0} || latency < kMuchMore * transfer) return std::nullopt;
  return Finding{.gain = latency / 2,
                 .evidence = fmt::format("packets of {:.0f} bytes on average: messages of peers take {} of "
                                         "latency, and {} of transfer",
                                         bytes, to_string(latency), to_string(transfer)),
                 .place = longest_waiter(scene, hw::Reason::peer_sent)};
}
KBSIM_FINDING(small_messages, {.title = "small messages: latency, not bytes",
                               .doc = "half the latency during waits for peers: half as many messages",
                               .look = small_messages});

}  // namespace
}  // namespace kbsim::explain
