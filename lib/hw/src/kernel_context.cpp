#include "kbsim/hw/kernel_context.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe_ipcq.hpp"

namespace kbsim::hw {
namespace {

PeTile& pe_tile(const TilePtr& tile) { return static_cast<PeTile&>(*tile); }

}  // namespace

PeTile::PeTile(std::shared_ptr<KernelContext> owner, Shape shape, DType dtype, oplog::Slices contents,
               Time ready, const std::source_location& at)
    : TileState{*owner, shape, dtype},
      context_{std::move(owner)},
      contents_{std::move(contents)},
      ready_{ready},
      last_use_{ready} {
  context_->take_tcm(size(), at);
}

PeTile::PeTile(std::shared_ptr<PeTile> base, Shape shape, DType dtype)
    : TileState{base->owner(), shape, dtype},
      context_{base->context_},
      contents_{base->contents_},
      ready_{base->ready_},
      last_use_{base->last_use_},
      base_{std::move(base)} {}

PeTile::~PeTile() {
  if (base_) return;
  context_->give_tcm(size());
  if (ipcq_ == nullptr || !context_->machine_runs()) return;
  ipcq_->release(std::max(last_use_, context_->clock()), queue_, slot_);
}

KernelContext::KernelContext(const PeUnits& units, std::string kernel)
    : units_{units}, kernel_{std::move(kernel)}, clock_{units.sim->now()} {}

int KernelContext::program_id(int axis) const {
  return axis == 0 ? units_.at.pe : axis == 1 ? units_.at.cube : units_.at.sip;
}

int KernelContext::num_programs(int axis) const {
  if (axis == 0) return units_.spec->pes_per_cube();
  return axis == 1 ? units_.spec->cubes_per_sip() : units_.spec->system.sips.count;
}

// The time at which the next command reaches its unit.
Time KernelContext::issue() {
  clock_ = clock() + units_.dispatch;
  return clock_;
}

oplog::Op KernelContext::described(const EngineCommand& command) {
  oplog::Op op{.id = units_.log->reserve(units_.lane),
               .kind = command.kind,
               .params = command.params,
               .dtype = command.dtype,
               .shape = command.shape};
  for (const TilePtr& input : command.inputs) {
    if (input) op.inputs.push_back(pe_tile(input).operand());
  }
  if (command.kind != oplog::OpKind::print) return op;
  const auto label = std::as_bytes(std::span{command.label});
  op.data = std::make_shared<const std::vector<std::byte>>(label.begin(), label.end());
  return op;
}

// Products go to pe_gemm and everything else to pe_math. Numbers and prints are noted, by whichever.
Time KernelContext::run(const EngineCommand& command, Time operands, oplog::Op op) {
  const bool number = command.kind == oplog::OpKind::fill && command.shape.rank() == 0;
  if (number || command.kind == oplog::OpKind::print) {
    return units_.math->note(std::max(operands, clock()), std::move(op));
  }
  const Time earliest = std::max(issue(), operands);
  if (command.kind != oplog::OpKind::dot) {
    const Time cost = units_.math->cost(op);
    return units_.math->issue(earliest, cost, std::move(op));
  }
  const Time cost = units_.gemm->cost(op, units_.scheduler->tile_plan().tile());
  return units_.gemm->issue(earliest, cost, std::move(op));
}

TilePtr KernelContext::execute(const EngineCommand& command) {
  Time operands{};
  for (const TilePtr& input : command.inputs) {
    if (input) operands = std::max(operands, pe_tile(input).ready());
  }
  oplog::Op op = described(command);
  const oplog::ValueId value = op.id;
  const Time end = run(command, operands, std::move(op));
  for (const TilePtr& input : command.inputs) {
    if (input) pe_tile(input).used_until(end);
  }
  if (units_.spec->pe.issue == "blocking") observe(end);
  return tile(value, command.shape, command.dtype, end, command.at);
}

TilePtr KernelContext::view(const TilePtr& tile, Shape shape, DType dtype) {
  return std::make_shared<PeTile>(std::static_pointer_cast<PeTile>(tile), shape, dtype);
}

TilePtr KernelContext::tile(oplog::ValueId value, Shape shape, DType dtype, Time ready,
                            const std::source_location& at) {
  const oplog::Slices contents{{value, 0, shape.bytes(dtype).count()}};
  return std::make_shared<PeTile>(shared_from_this(), shape, dtype, contents, ready, at);
}

PendingPtr KernelContext::pending(std::string what, std::source_location at) {
  return std::make_shared<PendingState>(*units_.sim, *this, std::move(what), at);
}

std::vector<Piece> KernelContext::translate(const Block& block, std::string_view call,
                                            const std::source_location& at) const {
  std::vector<Piece> pieces;
  for (const BlockRun& run : block.runs) {
    try {
      std::int64_t offset = run.offset;
      for (const topology::PhysRange& range : units_.mmu->translate(run.va, run.bytes)) {
        pieces.push_back({.memory = range, .offset = offset});
        offset += range.bytes.count();
      }
    } catch (const KernelFault& unmapped) {
      throw fault(at,
                  fmt::format("{} of {} at {:#x}: {}", call, to_string(run.bytes), run.va, unmapped.what()));
    }
  }
  return pieces;
}

PendingPtr KernelContext::load(Ptr from, Shape shape, DType dtype, std::source_location at) {
  return load_block(whole(from, shape, dtype), at);
}

PendingPtr KernelContext::load_block(Block from, std::source_location at) {
  PendingPtr done = pending("load", at);
  LoadCommand move{
      .from = translate(from, "load", at), .shape = from.shape, .dtype = from.dtype, .pad = from.pad};
  if (from.in_memory() < from.shape.bytes(from.dtype)) move.padding = units_.log->reserve(units_.lane);
  units_.scheduler->submit(issue() + units_.mmu->latency(),
                           DmaCommand{.move = std::move(move),
                                      .kernel = shared_from_this(),
                                      .value = units_.log->reserve(units_.lane),
                                      .pending = done,
                                      .order = {++order_}});
  return done;
}

PendingPtr KernelContext::store(Ptr to, const TilePtr& tile, std::source_location at) {
  return store_block(whole(to, tile->shape(), tile->dtype()), tile, at);
}

PendingPtr KernelContext::store_block(Block to, const TilePtr& tile, std::source_location at) {
  PendingPtr done = pending("store", at);
  auto pieces = translate(to, "store", at);
  const Time start = std::max(issue() + units_.mmu->latency(), pe_tile(tile).ready());
  units_.scheduler->submit(start, DmaCommand{.move = StoreCommand{.to = std::move(pieces), .tile = tile},
                                             .kernel = shared_from_this(),
                                             .value = units_.log->reserve(units_.lane),
                                             .pending = done,
                                             .order = {++order_}});
  return done;
}

// Sends of a direction leave in program order, though their tiles may be ready in another.
Time KernelContext::send_start(std::size_t queue, Time ready) {
  Time& last = last_send_[queue];
  last = std::max({last, issue(), ready});
  return last;
}

PendingPtr KernelContext::send(Dir dir, const TilePtr& tile, int tag, std::source_location at) {
  PendingPtr done = pending(fmt::format("send {}", dir.name), at);
  const std::size_t to = queue(dir, pe_tile(tile).size(), "send", at);
  units_.scheduler->submit(send_start(to, pe_tile(tile).ready()),
                           SendCommand{.queue = to,
                                       .tile = tile,
                                       .tag = tag,
                                       .kernel = shared_from_this(),
                                       .value = units_.log->reserve(units_.lane),
                                       .pending = done,
                                       .order = ++order_});
  return done;
}

PendingPtr KernelContext::recv(Dir dir, Shape shape, DType dtype, int tag, std::source_location at) {
  PendingPtr done = pending(fmt::format("recv {}", dir.name), at);
  const std::size_t from = queue(dir, shape.bytes(dtype), "recv", at);
  units_.scheduler->submit(issue(), RecvCommand{.queue = from,
                                                .shape = shape,
                                                .dtype = dtype,
                                                .tag = tag,
                                                .kernel = shared_from_this(),
                                                .pending = done,
                                                .order = ++order_});
  return done;
}

std::size_t KernelContext::queue(Dir dir, Bytes n, std::string_view call,
                                 const std::source_location& at) const {
  std::size_t found = 0;
  try {
    found = units_.ipcq->queue(dir.name);
  } catch (const KernelFault& unknown) {
    throw fault(at, fmt::format("{}: {}", call, unknown.what()));
  }
  const Bytes slot = units_.ipcq->slot_size(found);
  if (n > slot) {
    throw fault(
        at, fmt::format("{} '{}': {} do not fit a slot of {}; send in chunks, or raise slot_size in ccl.yaml",
                        call, dir.name, to_string(n), to_string(slot)));
  }
  return found;
}

void KernelContext::take_tcm(Bytes n, const std::source_location& at) {
  const config::MemorySpec& memory = units_.spec->cube.memory;
  const Bytes budget = memory.tcm - memory.tcm_scheduler;
  if (tcm_used_ + n > budget) {
    throw fault(at, fmt::format("a tile of {} doesn't fit the TCM of {}: {} of {} are taken by other tiles",
                                to_string(n), to_string(units_.at), to_string(tcm_used_), to_string(budget)));
  }
  tcm_used_ += n;
}

void KernelContext::dropped(const PendingState& pending) noexcept {
  if (!dropped_) dropped_ = fmt::format("{}: {}", to_string(to_place(pending.at())), pending.what());
}

Task<> KernelContext::finish() {
  if (dropped_)
    throw KernelFault{*dropped_ + " was never awaited; co_await it, or detach() it if that is meant"};
  for (const PendingPtr& pending : detached_) {
    co_await pending->event().wait(pending->at());
    (void)pending->observe();  // throws what it failed with
  }
  co_await units_.sim->until(std::max({clock(), units_.math->free(), units_.gemm->free()}));
}

KernelFault KernelContext::fault(const std::source_location& at, std::string_view text) const {
  return KernelFault{fmt::format("{}: {}", to_string(to_place(at)), text)};
}

}  // namespace kbsim::hw
