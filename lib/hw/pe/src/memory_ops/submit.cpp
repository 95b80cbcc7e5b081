#include "kbsim/hw/pe/submit.hpp"

#include <algorithm>

#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"

namespace kbsim::hw {

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
