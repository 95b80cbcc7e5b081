#include "kbsim/hw/pe/composite_job.hpp"

#include <algorithm>

#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/tl/pending_state.hpp"

#include "transfers/stream.hpp"

namespace kbsim::hw {
namespace {

// The parts of `pieces`, which ascend by offset, that the runs cover.
Pieces cut(const Pieces& pieces, const PoolVector<TilePlan::Run>& runs) {
  Pieces found;
  found.reserve(runs.size());
  for (const TilePlan::Run& run : runs) {
    std::int64_t offset = run.offset;
    const std::int64_t end = run.offset + run.bytes.count();
    auto piece = std::ranges::upper_bound(pieces, offset, {}, &Piece::offset) - 1;
    for (; offset < end; ++piece) {
      const std::int64_t skipped = offset - piece->offset;
      const std::int64_t n = std::min(piece->memory.bytes.count() - skipped, end - offset);
      found.emplace_back(topology::PhysRange{.pa = piece->memory.pa + Bytes{skipped}, .bytes = Bytes{n}},
                         offset);
      offset += n;
    }
  }
  return found;
}

}  // namespace

CompositeRun::CompositeRun(Simulation& sim, std::shared_ptr<CompositeJob> job, const Units& units,
                           const Tiling& tiling, std::shared_ptr<CompositeRun> before)
    : sim_{sim},
      job_{std::move(job)},
      units_{units},
      plan_{job_->command, tiling.tile},
      tile_{tiling.tile},
      before_{std::move(before)},
      entered_{sim, "entry of a composite's last tile"},
      ended_{sim, "end of a composite"} {
  const CompositeCommand& command = job_->command;
  tile_.element_bytes = itemsize(command.a.dtype);
  if (!command.a.tile || !command.b.tile) stages_.push_back(Stage::dma_in);
  stages_.push_back(Stage::fetch);
  stages_.push_back(Stage::compute);
  if (!command.epilogue.empty()) stages_.push_back(Stage::epilogue);
  if (command.out) stages_.push_back(Stage::dma_out);
  fetch_ = tiling.fetch_time(plan_.operand_bytes(0) + plan_.operand_bytes(1));
  for (std::unique_ptr<Event>& stage : through_)
    stage = std::make_unique<Event>(sim, "end of a composite's stage");
  for (std::unique_ptr<Event>& stage : through_) stage->set();
  for (const Stage stage : stages_) through_of(stage).reset();
  record_ = {.kernel = job_->name,
             .a = command.a.shape,
             .b = command.b.shape,
             .tiles = plan_.tiles(),
             .macs = plan_.macs(),
             .padded_macs = plan_.padded_macs()};
}

std::vector<std::string> CompositeRun::names() const {
  std::vector<std::string> all;
  for (const Stage stage : stages_) {
    constexpr std::array<const char*, 5> kNames{"dma_in", "fetch", "gemm", "epilogue", "dma_out"};
    const bool math = stage == Stage::compute && job_->command.op != Op::gemm;
    all.emplace_back(math ? "math" : kNames[static_cast<std::size_t>(stage)]);
  }
  return all;
}

Task<> CompositeRun::turn(std::size_t stage) {
  if (before_) co_await before_->through_of(stages_[stage]).wait();
}

Task<> CompositeRun::run() {
  record_.start = sim_.now();
  TilePipeline pipeline{sim_, *this, names(), plan_.tiles(), job_->in_flight};
  co_await pipeline.run();
  record_.stages = pipeline.stages();
  record_.end = sim_.now();
  record_operations();
  for (const CompositeCommand::Input* input : {&job_->command.a, &job_->command.b}) {
    if (!input->tile) continue;
    const Cause why = sim_.causes() != nullptr ? sim_.causes()->current() : Cause{};
    static_cast<PeTile&>(*input->tile).used_until(sim_.now(), why);
  }
  if (job_->result) job_->result->arrived(sim_.now());
  if (const oplog::IssuePtr& issue = job_->pending->issue()) issue->ended = sim_.now();
  job_->pending->complete(job_->result, sim_.now());
  before_.reset();
  ended_.set();
}

bool CompositeRun::runs(std::size_t stage, std::int64_t tile) const {
  const bool once = stages_[stage] == Stage::epilogue || stages_[stage] == Stage::dma_out;
  return !once || plan_.completes(tile);
}

// If several ask for an engine at one time, the older composite goes first, then the earlier stage.
Task<Time> CompositeRun::run(std::size_t stage, std::int64_t tile) {
  switch (stages_[stage]) {
    case Stage::dma_in: return read(tile);
    case Stage::fetch: return fetch();
    case Stage::compute: {
      IEngine* const engine = job_->command.op == Op::gemm ? static_cast<IEngine*>(units_.gemm) : units_.math;
      return engine->occupy({job_->order, stage}, compute_cost(), 1);
    }
    case Stage::epilogue: {
      const auto steps = static_cast<std::int64_t>(job_->command.epilogue.size());
      return units_.math->occupy({job_->order, stage}, epilogue_cost(), steps);
    }
    case Stage::dma_out: break;
  }
  return written();
}

void CompositeRun::begin(std::size_t stage, std::int64_t tile) {
  if (stages_[stage] == Stage::dma_in) begin_read(tile);
  if (stages_[stage] == Stage::dma_out) begin_write(tile);
}

// Sets the cause of the event that is scheduled next, `later` from now, if causes are kept.
void CompositeRun::because(Time later, const Why& why) {
  if (Causes* const causes = sim_.causes()) [[unlikely]]
    causes->because(causes->make(sim_.now() + later, causes->current(), why));
}

Task<Time> CompositeRun::fetch() {
  const Bytes operands = plan_.operand_bytes(0) + plan_.operand_bytes(1);
  because(fetch_, why(Reason::fetch, units_.gemm->unit(), operands));
  co_await sim_.delay(fetch_);
  co_return fetch_;
}

std::shared_ptr<StreamTransfer> CompositeRun::move(bool in, Pieces pieces, std::uint64_t order) {
  Transfer::Origin origin{
      .kernel = job_->kernel, .value = job_->values.back(), .order = {job_->order, order}, .call = {}};
  const auto direction = in ? StreamTransfer::Direction::in : StreamTransfer::Direction::out;
  auto stream = make_pooled<StreamTransfer>(sim_, std::move(origin), direction, std::move(pieces));
  because(job_->mmu, why(Reason::translation, units_.gemm->unit()));
  units_.dma->submit(sim_.now() + job_->mmu, stream);
  return stream;
}

void CompositeRun::begin_read(std::int64_t tile) {
  std::array<std::shared_ptr<StreamTransfer>, 2>& streams = coming_.emplace_back();
  for (int i = 0; i < 2; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const bool streamed = !(i == 0 ? job_->command.a : job_->command.b).tile;
    if (!streamed) continue;
    const auto order = static_cast<std::uint64_t>(3 * tile + i + 1);
    streams[index] = move(true, cut(job_->from[index], plan_.operand_runs(i, tile)), order);
  }
}

Task<Time> CompositeRun::read(std::int64_t tile) {
  const Time start = sim_.now();
  const std::array<std::shared_ptr<StreamTransfer>, 2> streams = std::move(coming_.front());
  coming_.pop_front();
  for (int i = 0; i < 2; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (!streams[index]) continue;
    co_await streams[index]->done().wait();
    if (!units_.log->keeps_operations() || !plan_.first_use(i, tile)) continue;
    for (const auto& [offset, slices] : streams[index]->parts().all()) {
      std::int64_t at = offset;
      for (const oplog::Slice& slice : slices) {
        contents_[index].add(at, slice);
        at += slice.bytes;
      }
    }
  }
  co_return sim_.now() - start;
}

void CompositeRun::begin_write(std::int64_t tile) {
  const auto order = static_cast<std::uint64_t>(3 * tile + 3);
  leaving_.push_back(move(false, cut(job_->to, plan_.output_runs(tile)), order));
}

Task<Time> CompositeRun::written() {
  const Time start = sim_.now();
  const std::shared_ptr<StreamTransfer> stream = std::move(leaving_.front());
  leaving_.pop_front();
  co_await stream->done().wait();
  co_return sim_.now() - start;
}

Time CompositeRun::compute_cost() const {
  if (job_->command.op == Op::gemm) return units_.gemm->tile_cost(tile_);
  return units_.math->cost(plan_.output_elements());
}

Time CompositeRun::epilogue_cost() const {
  Time sum{};
  for (const CompositeCommand::EpilogueStep& step : job_->command.epilogue) {
    oplog::Op op{.kind = step.kind, .params = step.params, .shape = Shape{plan_.output_elements()}};
    sum += units_.math->cost(op);
  }
  return sum;
}

}  // namespace kbsim::hw
