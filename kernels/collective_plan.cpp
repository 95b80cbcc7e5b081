// A thread block of a collective's plan: its steps in order, and all of them for each piece of the chunks.
//
// A step is one message of at most a slot, so pieces are as large as the longest message lets them be.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "kbsim/kernels/messages.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/plan_args.hpp"

namespace kbsim::collective {
namespace {

/// A thread block, at one piece of the chunks.
struct PlanTurn {
  CollectiveArgs args;
  PlanArgs plan;
  Dir to;
  Dir from;
  Slice piece = {};
  std::int64_t number = 0;  // index of the turn

  [[nodiscard]] const PlanBlock& block(int index) const {
    return (*plan.blocks)[static_cast<std::size_t>(index)];
  }
  /// Steps of thread block `of` that have ended when it is at step `steps` of this turn, over all turns.
  [[nodiscard]] std::int64_t ends(int of, std::int64_t steps) const {
    return number * static_cast<std::int64_t>(block(of).steps.size()) + steps;
  }
  [[nodiscard]] Ptr chunk(PlanChunk at) const {
    const Ptr output = args.out.va == 0 ? args.data : args.out;
    const Ptr buffer = at.buffer == PlanBuffer::input    ? args.data
                       : at.buffer == PlanBuffer::output ? output
                                                         : plan.scratch;
    return buffer + at.index * plan.chunk_elems;
  }
  [[nodiscard]] Shape shape(const PlanStep& step) const { return {step.count, piece.size}; }
  /// The pieces of its chunks adjoin.
  [[nodiscard]] bool is_whole(const PlanStep& step) const {
    return step.count == 1 || piece.size == plan.chunk_elems;
  }
  [[nodiscard]] Ptr piece_of(PlanChunk at) const { return chunk(at) + piece.first; }
  [[nodiscard]] Descriptor rows(TL& tl, PlanChunk at, const PlanStep& step) const {
    return tl.make_desc(
        {.base = chunk(at), .shape = {step.count, plan.chunk_elems}, .block = {step.count, piece.size}});
  }
};

Pending<Tile> load(TL& tl, const PlanTurn& turn, PlanChunk from, const PlanStep& step) {
  if (!turn.is_whole(step)) return turn.rows(tl, from, step).load({0, turn.piece.first});
  return tl.load(turn.piece_of(from), turn.shape(step), turn.args.data.dtype);
}

Pending<void> store(TL& tl, const PlanTurn& turn, const PlanStep& step, const Tile& tile) {
  if (!turn.is_whole(step)) return turn.rows(tl, step.dst, step).store({0, turn.piece.first}, tile);
  return tl.store(turn.piece_of(step.dst), tile);
}

// Moves memory to memory or to a queue, or a queue to memory. It needs no tile if the pieces adjoin.
Task<> move(TL& tl, PlanTurn turn, PlanStep step) {
  const Shape shape = turn.shape(step);
  if (step.op == PlanOp::recv) {
    const DType dtype = turn.args.data.dtype;
    co_await tl.recv({.dir = turn.from, .shape = shape, .dtype = dtype, .dst = turn.piece_of(step.dst)});
  } else if (step.op == PlanOp::send) {
    co_await tl.send({.dir = turn.to, .src = turn.piece_of(step.src), .shape = shape});
  } else {
    co_await tl.copy(turn.piece_of(step.dst), turn.piece_of(step.src), shape);
  }
}

// The tile that a step computes or moves. A tile that is only copied stays in its slot.
Task<Tile> value_of(TL& tl, PlanTurn turn, PlanStep step) {
  const PlanOpTraits op = traits_of(step.op);
  Pending<Tile> arriving;
  if (op.receives)
    arriving = tl.recv({.dir = turn.from, .shape = turn.shape(step), .dtype = turn.args.data.dtype});
  if (!op.reads) co_return co_await arriving;
  auto loading = load(tl, turn, step.src, step);
  if (step.op == PlanOp::reduce) arriving = load(tl, turn, step.dst, step);
  const Tile mine = co_await loading;
  if (step.op == PlanOp::send || step.op == PlanOp::copy) co_return mine;
  const Tile theirs = co_await arriving;
  co_return combine(tl, turn.args.op, theirs, mine);
}

// A message of no chunks only synchronizes: it carries one element, which is never read.
Task<> run_token(TL& tl, PlanTurn turn, PlanStep step) {
  const DType dtype = turn.args.data.dtype;
  if (step.op == PlanOp::send) {
    const Tile nothing = tl.zeros({1, 1}, dtype);
    co_await tl.send({.dir = turn.to, .src = nothing});
  } else {
    const Tile come = co_await tl.recv({.dir = turn.from, .shape = {1, 1}, .dtype = dtype});
  }
}

Task<> run_step(TL& tl, PlanTurn turn, PlanStep step) {
  if (step.op == PlanOp::nop) co_return;
  if (step.count == 0) {
    co_await run_token(tl, turn, step);
    co_return;
  }
  const bool moves = step.op == PlanOp::send || step.op == PlanOp::recv || step.op == PlanOp::copy;
  if (moves && turn.is_whole(step)) {
    co_await move(tl, turn, step);
    co_return;
  }
  const PlanOpTraits op = traits_of(step.op);
  const Tile value = co_await value_of(tl, turn, step);
  Pending<void> sent;
  Pending<void> stored;
  if (op.sends) sent = tl.send({.dir = turn.to, .src = value});
  if (op.stores) stored = store(tl, turn, step, value);
  co_await sent;
  co_await stored;
}

// The thread block's steps, for one piece. A word counts the steps that have ended; others wait on it.
Task<> run_steps(TL& tl, PlanTurn turn) {
  const PlanArgs& plan = turn.plan;
  Pending<Tile> posted;
  std::int64_t ended = 0;
  for (const PlanStep& step : turn.block(plan.block).steps) {
    if (step.after_block >= 0 && step.after_block != plan.block) {
      const std::int64_t wanted = turn.ends(step.after_block, step.after_step + 1);
      co_await tl.wait_signal({.signal = plan.ends + step.after_block, .at_least = wanted});
    }
    co_await run_step(tl, turn, step);
    ++ended;
    if (!step.awaited) continue;
    co_await posted;
    posted = tl.atomic_xchg(plan.ends + plan.block, turn.ends(plan.block, ended));
  }
  co_await posted;
}

// Waits until all thread blocks of the rank have ended, over all turns.
Task<> wait_for_all(TL& tl, PlanTurn turn) {
  const PlanArgs& plan = turn.plan;
  Pending<Tile> posted = tl.atomic_xchg(plan.ends + plan.block, turn.ends(plan.block, 0));
  co_await posted;
  for (int of = 0; of < static_cast<int>(plan.blocks->size()); ++of) {
    if (of == plan.block || turn.ends(of, 0) == 0) continue;
    co_await tl.wait_signal({.signal = plan.ends + of, .at_least = turn.ends(of, 0)});
  }
}

// No step divides. For an average, each thread block divides its part of the output when all have ended.
Task<> divide(TL& tl, PlanTurn turn) {
  const PlanArgs& plan = turn.plan;
  const auto blocks = static_cast<int>(plan.blocks->size());
  if (blocks > 1) co_await wait_for_all(tl, turn);
  const Ptr output = turn.chunk({PlanBuffer::output, 0});
  const std::int64_t at_once =
      turn.args.tcm_elems == 0 ? 0 : std::max<std::int64_t>(1, turn.args.tcm_elems / 4);
  for (const Slice& part :
       cut(chunk_of({0, plan.out_chunks * plan.chunk_elems}, plan.block, blocks), at_once)) {
    const Tile sum = co_await tl.load(output + part.first, {part.size}, turn.args.data.dtype);
    co_await tl.store(output + part.first, contribution({turn.args.op, turn.args.world_size}, sum));
  }
}

Task<> collective_plan(TL& tl, CollectiveArgs args) {
  const auto plan = args.own.as<PlanArgs>();
  tl.check(plan.blocks != nullptr, "collective_plan runs the plan of a file: --algorithm FILE.xml");
  const PlanBlock& block = (*plan.blocks)[static_cast<std::size_t>(plan.block)];
  PlanTurn turn{.args = args,
                .plan = plan,
                .to = Dir{std::string_view{plan_label(block, true)}},
                .from = Dir{std::string_view{plan_label(block, false)}}};
  for (const Slice& piece : cut({0, plan.chunk_elems}, args.slot_elems / plan.largest)) {
    turn.piece = piece;
    co_await run_steps(tl, turn);
    ++turn.number;
  }
  if (args.op == Reduction::avg && plan.out_chunks > 0) co_await divide(tl, turn);
}
KBSIM_KERNEL(collective_plan, "a thread block of a collective's plan, as an MSCCL file has it");

}  // namespace
}  // namespace kbsim::collective
