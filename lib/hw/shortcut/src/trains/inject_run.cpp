// Packets of a message whose arrival times are known ahead: they join a train all at once.
#include <algorithm>

#include "reservations.hpp"

namespace kbsim::hw {

std::int64_t Reservations::follow(const Message& message, LiveLink* ingress, const PacketRun& run) {
  const LinkAhead* const there =
      ingress != nullptr ? ingress->ahead : fabric_.live(message.route.front()).ahead;
  if (there == nullptr) return 0;
  return extend(ingress != nullptr ? there->train : there->own_train, message, run);
}

// The last packet of the message is never among these packets.
std::int64_t Reservations::extend(Train* train, const Message& message, const PacketRun& run) {
  if (train == nullptr || !train->unobserved || train->count < 2) return 0;
  const bool follows = train->message == &message && train->sequence == message.sequence &&
                       train->ordinal + train->count == message.injected && train->size == run.size &&
                       train->gap == run.gap && train->last.head + run.gap == run.head &&
                       train->last.tail + run.gap == run.tail;
  if (!follows) return 0;
  const std::int64_t most = std::min(kMostOfTrain - train->count, message.packets - 1 - message.injected);
  const std::int64_t count = std::min(run.count, most);
  train->count += static_cast<std::uint32_t>(count);
  train->last.head += count * train->gap;
  train->last.tail += count * train->gap;
  train->last.start += count * train->step;
  train->last.end += count * train->step;
  return count;
}

}  // namespace kbsim::hw
