// Packets of a message whose arrival times are known ahead: they join a train all at once.
#include <algorithm>

#include "reservations.hpp"

namespace kbsim::hw {

void inject(Fabric& fabric, Message& message, const PacketRun& run) {
  Reservations::inject(fabric, message, run);
}

// A packet that can't join the train of the one before it is injected by itself.
void Reservations::inject(Fabric& fabric, Message& message, PacketRun run) {
  const auto pass = [&run](std::int64_t n) {
    run.head += n * run.gap;
    run.tail += n * run.gap;
    run.count -= n;
  };
  while (run.count > 0) {
    fabric.inject(message, run.size, run.head, run.tail);
    pass(1);
    if (run.count == 0 || !fabric.books_ahead_ || message.route.empty()) continue;
    const LinkAhead* const source = fabric.live(message.route.front()).ahead;
    const std::int64_t more = source == nullptr ? 0 : extend(source->own_train, message, run);
    message.injected += static_cast<std::uint32_t>(more);
    fabric.under_way_ -= more * run.head + more * (more - 1) / 2 * run.gap;
    pass(more);
    if (more > 0) message.source_tail = run.tail - run.gap;
  }
}

std::int64_t Reservations::follow(LiveLink& came, const Message& message, const PacketRun& run) {
  return came.ahead == nullptr ? 0 : extend(came.ahead->train, message, run);
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
