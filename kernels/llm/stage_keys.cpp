// Each PE puts the keys and values of its split into its TCM, where other PEs read them.
#include "kbsim/kernels/llm/stage_keys.hpp"

#include <algorithm>
#include <deque>

#include "kbsim/kernels/in_flight.hpp"
#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/new_keys.hpp"

namespace kbsim::llm {
namespace {

using collective::InFlight;

// Slots at consecutive positions, whose rows are loaded as one block.
struct Run {
  std::int64_t head = 0;
  Part slots;
};

std::int64_t number(const PrefillAttentionArgs& args, PePlace at) {
  return std::int64_t{at.cube} * args.cache.grid.pes + at.pe;
}

std::vector<Run> new_runs(const PrefillAttentionArgs& args, std::int64_t pe, Part slots) {
  constexpr std::int64_t kMost = 4 * kCacheBlock;
  const Part added = common(slots, args.cache.slots_of(args.cache.split_of(pe), {args.context, args.rows()}));
  const std::int64_t most = args.cache.splits() == 1 ? kMost : kCacheBlock;
  const Part heads = args.cache.heads_of(pe);
  std::vector<Run> runs;
  for (std::int64_t head = heads.begin; head < heads.end(); ++head) {
    for (std::int64_t slot = added.begin; slot < added.end();) {
      const std::int64_t size = std::min(most - slot % most, added.end() - slot);
      runs.push_back({.head = head, .slots = {slot, size}});
      slot += size;
    }
  }
  return runs;
}

NewKeys::Args new_keys(const PrefillAttentionArgs& args, std::int64_t split, const Run& run, HeadNorm* norm) {
  const HeadColumns first{args.qkv, 0, args.cache.d};
  const std::int64_t position = args.cache.position_of(split, run.slots.begin);
  return {.grid = args.cache.grid,
          .keys = first.from(args.heads + run.head),
          .values = first.from(args.heads + args.cache.kv_heads + run.head),
          .rotary = args.rotary,
          .norm = norm,
          .rows = args.in_qkv({position - args.context, run.slots.size}),
          .position = position};
}

void stage_cached(TL& tl, const PrefillAttentionArgs& args, std::int64_t pe, Part slots, InFlight* stores) {
  const KvCache& cache = args.cache;
  const Part seen = args.seen_by({0, args.rows()});
  const Part cached{seen.begin, std::max<std::int64_t>(0, args.context - seen.begin)};
  const Part own = common(slots, cache.slots_of(cache.split_of(pe), cached));
  const Part heads = cache.heads_of(pe);
  for (std::int64_t head = heads.begin; head < heads.end() && own.size > 0; ++head) {
    const Shape block{own.size, cache.d};
    const std::int64_t slot = own.begin - slots.begin;
    stores->add(tl.copy(staged_at(args, Staged::keys, {pe, head}, slot),
                        cache.at(cache.keys, pe, args.sequence, head, own.begin), block));
    stores->add(tl.copy(staged_at(args, Staged::values, {pe, head}, slot),
                        cache.at(cache.values, pe, args.sequence, head, own.begin), block));
  }
}

}  // namespace

std::vector<Part> stages_of(const PrefillAttentionArgs& args) {
  const Part seen = args.seen_by({0, args.rows()});
  const std::int64_t turn = args.cache.splits() * kCacheBlock;
  const std::int64_t first = seen.begin / turn;
  const std::int64_t last = (seen.end() + turn - 1) / turn;
  std::vector<Part> stages;
  for (const Part& turns : cut_evenly({first, last - first}, args.stage_slots / kCacheBlock))
    stages.push_back({turns.begin * kCacheBlock, turns.size * kCacheBlock});
  return stages;
}

Ptr staged_at(const PrefillAttentionArgs& args, Staged which, StagePlace at, std::int64_t slot) {
  const std::int64_t heads = args.cache.heads_per_pe();
  const std::int64_t own = at.head - args.cache.heads_of(at.pe).begin;
  const std::int64_t block = which == Staged::keys ? own : heads + own;
  return args.stage.base + at.pe * args.stage.stride + (block * args.stage_slots + slot) * args.cache.d;
}

Task<> stage_keys(TL& tl, PrefillAttentionArgs args, PePlace at, Part slots) {
  const auto range = tl.range("stage keys");
  const std::int64_t pe = number(args, at);
  const std::vector<Run> runs = new_runs(args, pe, slots);
  InFlight stores;
  stage_cached(tl, args, pe, slots, &stores);
  HeadNorm norm{tl, args.norms, args.norms.k, {args.rotary.dims, args.cache.d}};
  std::deque<NewKeys> loads;
  constexpr std::size_t kAhead = 2;  // runs under way
  std::size_t started = 0;
  for (const Run& run : runs) {
    for (; started < runs.size() && loads.size() < kAhead; ++started)
      loads.emplace_back(tl, new_keys(args, args.cache.split_of(pe), runs[started], &norm));
    const Tile keys = co_await loads.front().keys();
    const Tile values = co_await loads.front().values();
    loads.pop_front();
    const StagePlace place{pe, run.head};
    const std::int64_t slot = run.slots.begin - slots.begin;
    stores.add(tl.store(staged_at(args, Staged::keys, place, slot), keys));
    stores.add(tl.store(staged_at(args, Staged::values, place, slot), values));
    const KvCache& cache = args.cache;
    stores.add(tl.store(cache.at(cache.keys, pe, args.sequence, run.head, run.slots.begin), keys));
    stores.add(tl.store(cache.at(cache.values, pe, args.sequence, run.head, run.slots.begin), values));
  }
  co_await stores.done();
}

}  // namespace kbsim::llm
