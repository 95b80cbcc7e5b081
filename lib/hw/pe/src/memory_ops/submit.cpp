#include "kbsim/hw/pe/submit.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/sim/process.hpp"

#include "../own_tile.hpp"

namespace kbsim::hw {
namespace {

// Late, as item(); its requests are later than all others of this time.
Task<> submit_found(std::shared_ptr<KernelContext> pe, TransferByData what, Time known, Cause why) {
  Simulation& sim = *pe->units().sim;
  Causes* const causes = sim.causes();
  if (causes != nullptr) causes->because(std::move(why));
  co_await sim.until(known);
  co_await sim.late();
  try {
    what.transfer->set_pieces(what.find((*pe->units().evaluator)(own_tile(what.data).operand())));
    const Time start = late_start(*pe);
    if (causes != nullptr) causes->because(causes->latest(causes->of(start), what.why));
    pe->units().scheduler->submit(std::max(start, what.ready), what.transfer);
  } catch (const Error&) {
    what.transfer->origin().pending->fail(std::current_exception());
  }
}

}  // namespace

Time translated(KernelContext& pe, const std::source_location& at) {
  const Time turn = pe.turns().issue(at);
  const Time done = turn + pe.units().mmu->latency();
  if (Causes* const causes = pe.units().sim->causes()) [[unlikely]]
    causes->because(causes->make(done, causes->of(turn), why(Reason::translation, pe.units().cpu)));
  return done;
}

void submit(KernelContext& pe, const std::source_location& at, const std::shared_ptr<LoadTransfer>& load) {
  load->into().take();
  pe.units().scheduler->submit(translated(pe, at), load);
}

void submit(KernelContext& pe, const std::source_location& at, const std::shared_ptr<StoreTransfer>& store) {
  const Time ready = store->ready();
  const Time start = translated(pe, at);
  if (Causes* const causes = pe.units().sim->causes()) [[unlikely]]
    causes->because(causes->latest(causes->of(start), store->why()));
  pe.units().scheduler->submit(std::max(start, ready), store);
}

void submit(KernelContext& pe, const std::source_location& at, TransferByData what) {
  const Time turn = pe.turns().issue(at);
  const PeTile& data = own_tile(what.data);
  Cause why;
  if (Causes* const causes = pe.units().sim->causes()) why = causes->latest(pe.turns().why(), data.why());
  const std::string_view call = what.transfer->origin().call;
  const Time known = std::max(turn, data.ready());
  (void)pe.units().sim->serve(std::string{call},
                              submit_found(pe.shared_from_this(), std::move(what), known, std::move(why)));
}

Time late_start(const KernelContext& pe) {
  const Time latency = pe.units().mmu->latency();
  const Time start = pe.units().sim->now() + std::max(latency, 1_ps);
  if (Causes* const causes = pe.units().sim->causes()) [[unlikely]] {
    const Reason reason = latency >= 1_ps ? Reason::translation : Reason::step;
    causes->because(causes->make(start, causes->current(), why(reason, pe.units().cpu)));
  }
  return start;
}

Task<> submit_after(std::shared_ptr<KernelContext> pe, PendingPtr done, TransferPtr next) {
  co_await done->event().wait(done->at());
  pe->units().scheduler->submit(late_start(*pe), std::move(next));
}

}  // namespace kbsim::hw
