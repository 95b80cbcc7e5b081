// How a run of a kernel ends: after all work that it has under way.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

void KernelContext::dropped(const PendingState& pending) noexcept {
  if (!dropped_) dropped_ = fmt::format("{}: {}", to_string(to_place(pending.at())), pending.what().text());
}

// Detached commands are released at the end: their tiles refer to the kernel.
Task<> KernelContext::finish() {
  if (dropped_)
    throw KernelFault{*dropped_ + " was never awaited; co_await it, or detach() it if that is meant"};
  co_await commands_.drained();
  for (const PendingPtr& pending : detached_) {
    co_await pending->event().wait(pending->at());
    (void)pending->observe();  // throws what it failed with
  }
  co_await units_.sim->until(idle(clock()));
  detached_.clear();
}

// When its engines are done, too; not before `last`.
Time KernelContext::idle(Time last) {
  Cause why = units_.sim->causes() != nullptr ? clock_why() : Cause{};
  for (const IEngine* engine :
       {static_cast<const IEngine*>(units_.math), static_cast<const IEngine*>(units_.gemm)}) {
    const Time free = engine->free();
    if (Causes* const causes = units_.sim->causes()) [[unlikely]]
      why = causes->latest(why, free > last ? causes->of(free) : causes->known(free));
    last = std::max(last, free);
  }
  if (units_.sim->causes() != nullptr) units_.sim->causes()->because(std::move(why));
  return last;
}

Task<> KernelContext::wind_down() {
  co_await commands_.drained();
  std::vector<PendingPtr> left = std::exchange(detached_, {});
  for (UnderWay& state : under_way_) left.push_back(state.shared_from_this());
  for (const PendingPtr& pending : left) {
    co_await pending->event().wait(pending->at());
    if (pending->issue()) pending->issue()->awaited();
  }
  co_await units_.sim->until(idle(clock()));
}

}  // namespace kbsim::hw
