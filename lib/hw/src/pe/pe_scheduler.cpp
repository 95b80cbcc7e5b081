#include "kbsim/hw/pe/pe_scheduler.hpp"

#include <algorithm>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/pe_dma.hpp"
#include "kbsim/hw/pe/pe_ipcq.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_scheduler", NodeKind::pe_scheduler, PeScheduler, PeSchedulerSpec,
                "hands a kernel's commands to the PE's units");

PeScheduler::PeScheduler(Fabric& fabric, NodeId id, PeSchedulerSpec spec)
    : Component{fabric, id},
      spec_{spec},
      commands_{fabric.sim(), name() + " commands"},
      jobs_{fabric.sim(), name() + " composites"} {}

void PeScheduler::start(Machine& machine) {
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  dma_ = &machine.at<PeDma>(pe.dma);
  ipcq_ = &machine.at<PeIpcq>(pe.ipcq);
  gemm_ = &machine.at<PeGemm>(pe.gemm);
  math_ = &machine.at<PeMath>(pe.math);
  log_ = &machine.log();
  (void)sim().serve(name(), run());
  (void)sim().serve(name() + " composites", run_composites());
}

Task<> PeScheduler::run() {
  for (;;) {
    PeCommand command = co_await commands_.receive();
    if (auto* move = std::get_if<DmaCommand>(&command)) dma_->submit(sim().now(), std::move(*move));
    if (auto* send = std::get_if<SendCommand>(&command)) ipcq_->submit(sim().now(), std::move(*send));
    if (auto* receive = std::get_if<RecvCommand>(&command)) ipcq_->submit(sim().now(), std::move(*receive));
    if (auto* job = std::get_if<std::shared_ptr<CompositeJob>>(&command))
      jobs_.post(sim().now(), std::move(*job));
  }
}

bool PeScheduler::together(const CompositeRun& first, const CompositeRun& second) const {
  const Bytes budget = fabric().graph().spec().cube.memory.tcm_scheduler;
  return first.overlaps() && second.overlaps() && first.tcm() + second.tcm() <= budget;
}

// Those of one time in the kernel's order.
Task<> PeScheduler::run_composites() {
  const CompositeRun::Units units{.dma = dma_, .gemm = gemm_, .math = math_, .log = log_};
  std::shared_ptr<CompositeRun> first;
  std::shared_ptr<CompositeRun> last;
  std::vector<std::shared_ptr<CompositeJob>> jobs;
  for (;;) {
    jobs.clear();
    co_await jobs_.collect(jobs);
    std::ranges::sort(jobs, {}, &CompositeJob::order);
    for (std::shared_ptr<CompositeJob>& job : jobs) {
      const auto next = std::make_shared<CompositeRun>(sim(), std::move(job), units, spec_, last);
      if (first) co_await first->ended().wait();
      if (last) {
        Event& free = together(*last, *next) ? last->all_entered() : last->ended();
        co_await free.wait();
      }
      (void)sim().spawn(name() + " composite", run_composite(next));
      first = std::move(last);
      last = next;
    }
  }
}

Task<> PeScheduler::run_composite(std::shared_ptr<CompositeRun> composite) {
  co_await composite->run();
  composites_.push_back(composite->record());
}

}  // namespace kbsim::hw
