#include "kbsim/hw/pe/pending_commands.hpp"

#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

PendingPtr PendingCommands::pending(const Identity& what, std::source_location at) {
  return make_pooled<PendingState>(*units_.sim, kernel_, what, at);
}

PendingPtr PendingCommands::under_way(const Identity& what, std::source_location at) {
  const auto state = make_pooled<UnderWay>(*units_.sim, kernel_, what, at);
  under_way_.push_back(*state);
  return state;
}

std::vector<PendingPtr> PendingCommands::before(const PendingState& sync) {
  std::vector<PendingPtr> before;
  for (auto next = under_way_.begin(); next != under_way_.end();) {
    UnderWay& state = *next++;
    if (state.issue()) sync.issue()->includes(state.issue());
    if (state.done())
      state.unlink();
    else
      before.push_back(state.shared_from_this());
  }
  return before;
}

void PendingCommands::dropped(const PendingState& pending) noexcept {
  if (!dropped_) dropped_ = fmt::format("{}: {}", to_string(to_place(pending.at())), pending.what().text());
}

// Detached commands are released at the end: their tiles refer to the kernel.
Task<> PendingCommands::finish() {
  if (dropped_)
    throw KernelFault{*dropped_ + " was never awaited; co_await it, or detach() it if that is meant"};
  co_await turns_.drained();
  for (const PendingPtr& pending : detached_) {
    co_await pending->event().wait(pending->at());
    (void)pending->observe();  // throws what it failed with
  }
  co_await units_.sim->until(engines_.idle(turns_.clock()));
  detached_.clear();
}

Task<> PendingCommands::wind_down() {
  co_await turns_.drained();
  std::vector<PendingPtr> left = std::exchange(detached_, {});
  for (UnderWay& state : under_way_) left.push_back(state.shared_from_this());
  for (const PendingPtr& pending : left) {
    co_await pending->event().wait(pending->at());
    if (pending->issue()) pending->issue()->awaited();
  }
  co_await units_.sim->until(engines_.idle(turns_.clock()));
}

}  // namespace kbsim::hw
