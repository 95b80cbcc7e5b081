// Attention over a line of ranks, for many queries: keys and values travel E and W, and each rank merges
// every block that passes into the results of its queries.
//
// A rank's keys and values of one head are in TCM until its neighbours have taken them.
#include "kbsim/kernels/attention_mesh.hpp"
#include "kbsim/kernels/online_softmax.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::attention {
namespace {

Task<> attention_mesh_kv(TL& tl, AttentionMeshArgs args) {
  const std::optional<Line> line = place_in_line(tl, args);
  if (!line) co_return;
  const std::int64_t first_query = args.ranks * (args.s_kv - args.s_q) + line->rank * args.s_q;
  const Scores scores{tl, args, first_query};
  const Slices blocks = collective::cut({.size = args.s_kv}, args.block_keys);
  const Slice rows{.size = args.h_q / args.h_kv * args.s_q};  // of the heads that share a head of keys
  OwnKeys own{tl, args, line->rank};
  InFlight stores;
  const auto of_rank = [&](int rank, Slice keys) { return Slice{rank * args.s_kv + keys.first, keys.size}; };

  for (std::int64_t head = 0; head < args.h_kv; ++head) {
    const std::int64_t at = (line->rank * args.h_kv + head) * rows.size * args.d;
    const Tile q = co_await tl.load(args.q + at, {rows.size, args.d}, args.q.dtype);
    Running run = over_no_keys(tl, rows.size, args.d);
    InFlight sends;
    for (const Slice& block : blocks) {
      const Slice keys = of_rank(line->rank, block);
      const Tile k = co_await own.k(head, block);
      const Tile v = co_await own.v(head, block);
      for (const Dir to : line->sides()) {
        sends.add(tl.send({.dir = to, .src = k}));
        sends.add(tl.send({.dir = to, .src = v}));
      }
      if (scores.any(keys)) run = attend(tl, scores.of(q, rows, k, keys), v, run);
    }
    for (int distance = 1; distance < line->size; ++distance) {
      for (const Slice& block : blocks) {
        for (const Arrival& way : line->arrivals(distance)) {
          const Slice keys = of_rank(way.rank, block);
          const Shape shape{block.size, args.d};
          Tile score;
          {  // its slot is free before the values need one
            const Tile k = co_await pass_on(tl, way, shape, args.k.dtype, &sends);
            if (scores.any(keys)) score = scores.of(q, rows, k, keys);
          }
          const Tile v = co_await pass_on(tl, way, shape, args.v.dtype, &sends);
          if (scores.any(keys)) run = attend(tl, score, v, run);
        }
      }
    }
    const Tile out = run.out / run.sum;
    stores.add(tl.store(args.o + at, out.to(args.o.dtype)));
    co_await all_taken(tl, &sends);
  }
  co_await stores.done();
}
KBSIM_KERNEL(attention_mesh_kv, "attention over a line of ranks: keys and values travel E and W (prefill)");

}  // namespace
}  // namespace kbsim::attention
