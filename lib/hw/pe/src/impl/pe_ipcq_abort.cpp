// How launches are given up: their sends and receives end with LaunchAborted, and sent tiles are released, so
// that their credits return.
#include <algorithm>
#include <exception>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/launch_aborted.hpp"

#include "pe_ipcq.hpp"

namespace kbsim::hw {

// A set that isn't there yet has no launches.
void PeIpcq::abort(const AbortQueues& what, std::uint32_t before) {
  for (const std::string& name : what.sets) {
    if (Set* const set = find(name); set != nullptr) set->aborted_before = before;
  }
  any_aborted_ = true;
  give_up();
  report_aborts();
}

void PeIpcq::give_up() {
  for (Set& set : sets_) {
    if (set.aborted_before > 0 && !set.removed) give_up(set);
  }
  may_send_ = may_give_ = true;
}

// A kernel that runs on, or has yet to begin, is stopped by its next send or receive.
void PeIpcq::give_up(Set& set) {
  const auto stop = [&](const auto& command) {
    if (command.kernel->launch().order >= set.aborted_before) return false;
    if (ISpans* const spans = fabric().spans()) spans->close(command.pending.get(), sim().now());
    command.pending->fail(std::make_exception_ptr(LaunchAborted{}));
    return true;
  };
  for (std::size_t queue = set.queues.first; queue < set.queues.last; ++queue) {
    pairs_[queue].sends.erase_if(stop);
    drop_what_came(queue);
  }
  receives_.erase_if(set.queues,
                     [&](const RecvCommand& recv) { return (recv.queue || in_use_ == &set) && stop(recv); });
}

void PeIpcq::drop_what_came(std::size_t queue) {
  QueuePair& pair = pairs_[queue];
  while (pair.has_tile() && is_given_up(pair, pair.filled.front()->launch)) {
    pair.filled.pop_front();
    if (!pair.came.empty()) pair.came.erase(pair.came.begin());
    take(Release{.queue = queue, .slot = pair.slot(pair.taken++)});
  }
}

bool PeIpcq::all_let_go(const std::string& name) {
  const Set* const set = find(name);
  if (set == nullptr) return true;
  const auto pairs = std::span{pairs_}.subspan(set->queues.first, set->queues.last - set->queues.first);
  return std::ranges::all_of(pairs, [](const QueuePair& pair) { return pair.my_head == pair.peer_tail; });
}

void PeIpcq::report_aborts() {
  std::erase_if(aborts_, [this](const Abort& one) {
    const bool done =
        std::ranges::all_of(one.sets, [this](const std::string& set) { return all_let_go(set); });
    if (done) report(one.from, one.token, one.start);
    return done;
  });
}

}  // namespace kbsim::hw
