// A kernel's waits for idle units (sync), for a barrier, and for a number (item).
#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/race_watch.hpp"
#include "kbsim/oplog/log_memory.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/barrier.hpp"
#include "kbsim/tl/pending_state.hpp"

#include "own_tile.hpp"

namespace kbsim::hw {
namespace {

Task<> wait_idle(Simulation* sim, PendingPtr done, std::vector<PendingPtr> before, Time engines, Cause why) {
  for (const PendingPtr& state : before) co_await state->event().wait(state->at());
  if (sim->causes() != nullptr) sim->causes()->because(std::move(why));
  co_await sim->until(engines);
  done->complete(nullptr, sim->now());
}

// Late: all work that ends at this time has been recorded by then.
Task<> complete_item(std::shared_ptr<const KernelContext> kernel, PendingPtr done, oplog::Operand element,
                     Time at, Cause why) {
  const PeUnits& units = kernel->units();
  if (units.sim->causes() != nullptr) units.sim->causes()->because(std::move(why));
  co_await units.sim->until(at);
  co_await units.sim->late();
  try {
    done->complete((*units.evaluator)(element).front(), units.sim->now());
  } catch (const Error&) {
    done->fail(std::current_exception());
  }
}

Cause cause_of(const PeUnits& units, Time at) {
  return units.sim->causes() != nullptr ? units.sim->causes()->of(at) : Cause{};
}

}  // namespace

PendingPtr KernelContext::sync(std::source_location at) {
  PendingPtr done = commands_.pending(CommandWait{"sync"}, at);
  done->issued_as(units_.races->issue(agent_));
  in_order(at, [this, at, done, before = commands_.before(*done)]() mutable {
    const Time engines = engines_.idle(turns_.issue(at));
    (void)units_.sim->serve(
        "sync", wait_idle(units_.sim, done, std::move(before), engines, cause_of(units_, engines)));
  });
  return done;
}

PendingPtr KernelContext::barrier(std::source_location at) {
  PendingPtr done = commands_.pending(BarrierWait{peers_.next_barrier()}, at);
  if (peers_.ask(done)) in_order(at, [this, at] { peers_.reach(turns_.issue(at)); });
  return done;
}

PendingPtr KernelContext::item(const TilePtr& tile, std::int64_t element, std::source_location at) {
  units_.require_numbers("item", at);
  PendingPtr done = commands_.pending(CommandWait{"item"}, at);
  const std::int64_t size = itemsize(tile->dtype());
  oplog::Operand one{.slices = oplog::subrange(own_tile(tile).operand().slices, element * size, size),
                     .shape = Shape{1},
                     .dtype = tile->dtype()};
  in_order(at, [this, at, done, tile, one = std::move(one)]() mutable {
    const Time turn = turns_.issue(at);
    const PeTile& source = own_tile(tile);
    turns_.because_of(source.why());
    const Time ready = std::max(turn, source.ready());
    (void)units_.sim->serve(
        "item", complete_item(shared_from_this(), done, std::move(one), ready, cause_of(units_, ready)));
  });
  return done;
}

}  // namespace kbsim::hw
