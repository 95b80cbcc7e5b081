#include <algorithm>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"

namespace kbsim::hw {
namespace {

struct PeSchedulerSpec {
  static constexpr Range kTileExtent = between(1, 65536);  // a tile's multiplications are counted
  int tile_m = 32;
  int tile_k = 64;
  int tile_n = 32;
  Bandwidth fetch_rate = Bandwidth::gbs(1024.0);
  Time fetch = 2_ns;
  static void describe(FieldList<PeSchedulerSpec>& f) {
    f.add("tile_m", &PeSchedulerSpec::tile_m, kTileExtent, "rows of a tile of A and of the output");
    f.add("tile_k", &PeSchedulerSpec::tile_k, kTileExtent, "columns of a tile of A, rows of one of B");
    f.add("tile_n", &PeSchedulerSpec::tile_n, kTileExtent, "columns of a tile of B and of the output");
    f.add("fetch_bw_gbs", &PeSchedulerSpec::fetch_rate, kPositive,
          "of a composite's operands from TCM into the engine, on a path of its own");
    f.add("fetch_ns", &PeSchedulerSpec::fetch, kNotNegative, "latency of the fetch of a tile");
  }
};

/// Hands each command that pe_cpu issues to its unit at once. It cuts composites into tiles by its own tile
/// plan and streams them itself, in order. The next one's tiles enter after the last tile of the one under
/// way if both have room, and no sooner than the one before that has ended.
class PeScheduler : public Component, public IScheduler, public IRepeatable {
 public:
  PeScheduler(Fabric& fabric, NodeId id, PeSchedulerSpec spec);

  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;

  void submit(Time at, PeCommand&& command) override {
    std::visit([&](auto& one) { hand(at, std::move(one)); }, command);
  }
  [[nodiscard]] Tiling tiling() const override {
    return {.tile = {.m = spec_.tile_m, .k = spec_.tile_k, .n = spec_.tile_n},
            .fetch = spec_.fetch,
            .fetch_rate = spec_.fetch_rate};
  }
  [[nodiscard]] const std::vector<CompositeRecord>& composites() const override { return composites_; }
  /// Composites begin after those before them, which it keeps a record of.
  void visit(RepeatVisitor& visitor) override { visitor.fixed(composites_.size()); }

 private:
  void hand(Time at, TransferPtr transfer) { dma_->submit(at, std::move(transfer)); }
  void hand(Time at, SendCommand&& send) { ipcq_->submit(at, std::move(send)); }
  void hand(Time at, RecvCommand&& receive) { ipcq_->submit(at, std::move(receive)); }
  void hand(Time at, std::shared_ptr<CompositeJob> job) { jobs_.post(at, std::move(job)); }
  using JobPtr = std::shared_ptr<CompositeJob>;
  using RunPtr = std::shared_ptr<CompositeRun>;
  void put_in_order(std::vector<JobPtr>& jobs) const;
  [[nodiscard]] RunPtr make_run(JobPtr job, const RunPtr& last) const;
  Task<> room_for(RunPtr next, RunPtr last, RunPtr before_last) const;
  Task<> run_composite(RunPtr composite);
  [[nodiscard]] bool together(const CompositeRun& first, const CompositeRun& second) const;

  PeSchedulerSpec spec_;
  IDma* dma_ = nullptr;
  IIpcq* ipcq_ = nullptr;
  IGemm* gemm_ = nullptr;
  IMath* math_ = nullptr;
  oplog::OpLog* log_ = nullptr;
  Mailbox<std::shared_ptr<CompositeJob>> jobs_;
  std::vector<CompositeRecord> composites_;
};

PeScheduler::PeScheduler(Fabric& fabric, NodeId id, PeSchedulerSpec spec)
    : Component{fabric, id}, spec_{spec}, jobs_{fabric.sim(), {name(), "composites"}} {}

void PeScheduler::start(Machine& machine) {
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  dma_ = &machine.at<IDma>(pe.dma);
  ipcq_ = &machine.at<IIpcq>(pe.ipcq);
  gemm_ = &machine.at<IGemm>(pe.gemm);
  math_ = &machine.at<IMath>(pe.math);
  log_ = &machine.log();
  serve_box<&PeScheduler::jobs_, &PeScheduler::run>(*this);
}

bool PeScheduler::together(const CompositeRun& first, const CompositeRun& second) const {
  const Bytes budget = fabric().graph().spec().cube.memory.tcm_scheduler;
  return first.overlaps() && second.overlaps() && first.tcm() + second.tcm() <= budget;
}

// Two composites are under way at most: the next waits until there is room for it.
Task<> PeScheduler::run() {
  RunPtr before_last;
  RunPtr last;
  std::vector<JobPtr> jobs;
  for (;;) {
    jobs.clear();
    co_await jobs_.collect(jobs);
    put_in_order(jobs);
    for (JobPtr& job : jobs) {
      const RunPtr next = make_run(std::move(job), last);
      co_await room_for(next, last, before_last);
      (void)sim().spawn(name() + " composite", run_composite(next));
      before_last = std::move(last);
      last = next;
    }
  }
}

// Composites of one time begin in the kernel's order.
void PeScheduler::put_in_order(std::vector<JobPtr>& jobs) const {
  for (std::size_t i = 0; i < jobs.size() && sim().causes() != nullptr; ++i)
    jobs[i]->why = jobs_.collected()[i];
  std::ranges::sort(jobs, {}, &CompositeJob::order);
}

PeScheduler::RunPtr PeScheduler::make_run(JobPtr job, const RunPtr& last) const {
  if (job->why && job->why.at() == sim().now()) sim().causes()->set_current(job->why);
  const CompositeRun::Units units{.dma = dma_, .gemm = gemm_, .math = math_, .log = log_};
  return std::make_shared<CompositeRun>(sim(), std::move(job), units, tiling(), last);
}

// Tiles enter after the last tile of the composite under way if both have room, else after its end.
Task<> PeScheduler::room_for(RunPtr next, RunPtr last, RunPtr before_last) const {
  if (before_last) co_await before_last->ended().wait();
  if (!last) co_return;
  Event& free = together(*last, *next) ? last->all_entered() : last->ended();
  co_await free.wait();
}

Task<> PeScheduler::run_composite(RunPtr composite) {
  co_await composite->run();
  composites_.push_back(composite->record());
}

}  // namespace

KBSIM_COMPONENT("builtin.pe_scheduler", NodeKind::pe_scheduler, PeScheduler, PeSchedulerSpec,
                "hands a kernel's commands to the PE's units");

}  // namespace kbsim::hw
