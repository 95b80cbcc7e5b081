#include "waiting_commands.hpp"

namespace kbsim::hw {

const KernelContext* WaitingCommands::kernel() const {
  if (!receives_.any().empty()) return receives_.any().front().kernel.get();
  const QueueTurns& queues = queues_.in_use().queues;
  for (std::size_t queue = queues.first; queue < queues.last; ++queue) {
    if (!queues_[queue].sends.empty()) return queues_[queue].sends.front().kernel.get();
    if (!receives_.of(queue).empty()) return receives_.of(queue).front().kernel.get();
  }
  return nullptr;
}

bool WaitingCommands::can_go_on() const {
  const QueueTurns& queues = queues_.in_use().queues;
  for (std::size_t queue = queues.first; queue < queues.last; ++queue) {
    if (can_go_on(queue)) return true;
  }
  return false;
}

bool WaitingCommands::can_go_on(std::size_t queue) const {
  const QueuePair& pair = queues_[queue];
  return (pair.has_room() && !pair.sends.empty()) ||
         (pair.has_tile() && (!receives_.of(queue).empty() || !receives_.any().empty()));
}

Cause WaitingCommands::why() const {
  Causes& causes = *unit_.sim().causes();
  Cause last;
  const auto add = [&](const auto& command) {
    if (command.why && command.why.at() == unit_.sim().now()) last = causes.latest(last, command.why);
  };
  for (const RecvCommand& command : receives_.any()) add(command);
  const QueueTurns& queues = queues_.in_use().queues;
  for (std::size_t queue = queues.first; queue < queues.last; ++queue) {
    for (const SendCommand& command : queues_[queue].sends) add(command);
    for (const RecvCommand& command : receives_.of(queue)) add(command);
  }
  return last ? last : causes.current();
}

}  // namespace kbsim::hw
