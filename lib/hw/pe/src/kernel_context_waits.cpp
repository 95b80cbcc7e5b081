// A kernel's waits for idle units (sync), for a barrier, and for a number (item).
#include <algorithm>
#include <exception>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/launch_aborted.hpp"
#include "kbsim/oplog/log_memory.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/barrier.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

PendingPtr KernelContext::sync(std::source_location at) {
  PendingPtr done = pending(CommandWait{"sync"}, at);
  done->issued_as(units_.races->issue(agent_));
  std::vector<PendingPtr> before;
  for (auto next = under_way_.begin(); next != under_way_.end();) {
    UnderWay& state = *next++;
    if (state.issue()) done->issue()->includes(state.issue());
    if (state.done())
      state.unlink();
    else
      before.push_back(state.shared_from_this());
  }
  in_order(at, [this, at, done, before = std::move(before)]() mutable {
    const Time engines = idle(take_turn(at));
    Cause why = units_.sim->causes() != nullptr ? units_.sim->causes()->of(engines) : Cause{};
    (void)units_.sim->serve("sync", wait_idle(units_.sim, done, std::move(before), engines, std::move(why)));
  });
  return done;
}

Task<> KernelContext::wait_idle(Simulation* sim, PendingPtr done, std::vector<PendingPtr> before,
                                Time engines, Cause why) {
  for (const PendingPtr& state : before) co_await state->event().wait(state->at());
  if (sim->causes() != nullptr) sim->causes()->because(std::move(why));
  co_await sim->until(engines);
  done->complete(nullptr, sim->now());
}

PendingPtr KernelContext::barrier(std::source_location at) {
  PendingPtr done = pending(BarrierWait{++barriers_}, at);
  needs_others(done);
  if (given_up_) return done;
  in_barrier_.emplace(barriers_, done);
  if (agent_) {
    done->issued_as(units_.races->issue(agent_));
    done->issue()->knew_then = agent_->knows();
    units_.races->orders().reaches(launch_.order, barriers_, agent_->publish(oplog::Handover::barrier));
  }
  in_order(at, [this, at] { units_.barriers->reached(take_turn(at), ++reached_); });
  return done;
}

void KernelContext::add_barriers(std::vector<std::uint32_t>& numbers) const {
  for (const auto& [number, pending] : in_barrier_) {
    if (number <= reached_) numbers.push_back(number);
  }
}

void KernelContext::passed(std::uint32_t number) {
  const auto met = in_barrier_.extract(number);
  if (met.empty()) return;
  if (agent_) met.mapped()->issue()->gives(units_.races->orders().passed(launch_.order, number));
  met.mapped()->complete(nullptr, units_.sim->now());
}

void KernelContext::needs_others(const PendingPtr& pending) {
  if (given_up_) return pending->fail(std::make_exception_ptr(LaunchAborted{}));
  std::erase_if(needing_others_, [](const auto& known) { return known.expired(); });
  needing_others_.push_back(pending);
}

void KernelContext::give_up() {
  given_up_ = true;
  in_barrier_.clear();
  for (const auto& known : std::exchange(needing_others_, {})) {
    const PendingPtr pending = known.lock();
    if (pending && !pending->done()) pending->fail(std::make_exception_ptr(LaunchAborted{}));
  }
}

PendingPtr KernelContext::item(const TilePtr& tile, std::int64_t element, std::source_location at) {
  require_numbers("item", at);
  PendingPtr done = pending(CommandWait{"item"}, at);
  const auto& source = static_cast<const PeTile&>(*tile);
  const std::int64_t size = itemsize(tile->dtype());
  oplog::Operand one{.slices = oplog::subrange(source.operand().slices, element * size, size),
                     .shape = Shape{1},
                     .dtype = tile->dtype()};
  in_order(at, [this, at, done, tile, one = std::move(one)]() mutable {
    const Time turn = take_turn(at);
    const auto& source = static_cast<const PeTile&>(*tile);
    because_of(source.why());
    const Time ready = std::max(turn, source.ready());
    Cause why = units_.sim->causes() != nullptr ? units_.sim->causes()->of(ready) : Cause{};
    (void)units_.sim->serve("item",
                            evaluate(shared_from_this(), done, std::move(one), ready, std::move(why)));
  });
  return done;
}

// Late: all work that ends at this time has been recorded by then.
Task<> KernelContext::evaluate(std::shared_ptr<KernelContext> self, PendingPtr done, oplog::Operand element,
                               Time at, Cause why) {
  if (units_.sim->causes() != nullptr) units_.sim->causes()->because(std::move(why));
  co_await units_.sim->until(at);
  co_await units_.sim->late();
  try {
    done->complete((*units_.evaluator)(element).front(), units_.sim->now());
  } catch (const Error&) {
    done->fail(std::current_exception());
  }
}

}  // namespace kbsim::hw
