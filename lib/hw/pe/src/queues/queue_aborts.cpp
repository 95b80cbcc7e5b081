#include "queue_aborts.hpp"

#include <algorithm>
#include <exception>

#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/launch_aborted.hpp"

namespace kbsim::hw {

void QueueAborts::add(QueueOrder order, std::uint32_t before) {
  queues_.abort(order.sets, before);
  orders_.push_back(std::move(order));
  give_up();
  report_what_is_done();
}

void QueueAborts::give_up() {
  for (const InstalledQueues::Set& set : queues_.sets()) {
    if (set.aborted_before > 0 && !set.removed) give_up(set);
  }
}

// A kernel that runs on, or has yet to begin, is stopped by its next send or receive.
void QueueAborts::give_up(const InstalledQueues::Set& set) {
  const auto stop = [&](const auto& command) {
    if (command.kernel->launch().order >= set.aborted_before) return false;
    if (ISpans* const spans = unit_.fabric.spans()) spans->close(command.pending.get(), unit_.sim().now());
    command.pending->fail(std::make_exception_ptr(LaunchAborted{}));
    return true;
  };
  for (std::size_t queue = set.queues.first; queue < set.queues.last; ++queue) {
    sender_.erase_if(queue, stop);
    receiver_.drop_given_up(queue);
  }
  receiver_.erase_if(set, stop);
}

void QueueAborts::report_what_is_done() {
  std::erase_if(orders_, [this](const QueueOrder& order) {
    const bool done =
        std::ranges::all_of(order.sets, [this](const std::string& set) { return all_let_go(set); });
    if (done) report_done(unit_, order);
    return done;
  });
}

bool QueueAborts::all_let_go(const std::string& name) const {
  const InstalledQueues::Set* const set = queues_.find(name);
  if (set == nullptr) return true;
  return std::ranges::all_of(queues_.of(*set),
                             [](const QueuePair& pair) { return pair.my_head == pair.peer_tail; });
}

}  // namespace kbsim::hw
