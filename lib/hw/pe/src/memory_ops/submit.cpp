#include "submit.hpp"

#include <algorithm>

#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"

namespace kbsim::hw {

void submit(KernelContext& pe, const std::source_location& at, const std::shared_ptr<LoadTransfer>& load) {
  load->into().take();
  pe.units().scheduler->submit(pe.take_turn(at) + pe.units().mmu->latency(), load);
}

void submit(KernelContext& pe, const std::source_location& at, const std::shared_ptr<StoreTransfer>& store) {
  const Time ready = store->ready();
  pe.units().scheduler->submit(std::max(pe.take_turn(at) + pe.units().mmu->latency(), ready), store);
}

Time late_start(const KernelContext& pe) {
  return pe.units().sim->now() + std::max(pe.units().mmu->latency(), 1_ps);
}

Task<> submit_after(std::shared_ptr<KernelContext> pe, PendingPtr done, TransferPtr next) {
  co_await done->event().wait(done->at());
  pe->units().scheduler->submit(late_start(*pe), std::move(next));
}

}  // namespace kbsim::hw
