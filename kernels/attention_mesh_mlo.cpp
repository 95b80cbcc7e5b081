// Attention over a line of ranks, for few queries. Each rank attends to its own keys. Its results, the
// largest score m, the sum l and the weighted values o, travel E and W. Each rank merges the results of all.
#include "kbsim/kernels/attention_mesh.hpp"
#include "kbsim/kernels/online_softmax.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::attention {
namespace {

void send_all(TL& tl, Dir to, const Running& found, InFlight& sends) {
  for (const Tile* tile : {&found.largest, &found.sum, &found.out})
    sends.add(tl.send({.dir = to, .src = *tile}));
}

// Another rank's results, received and copied out of their slots.
Task<Running> theirs(TL& tl, Arrival way, Shape shape, InFlight* sends) {
  const Shape column{shape[0], 1};
  Running found;
  for (Tile* part : {&found.largest, &found.sum, &found.out}) {
    const Tile tile = co_await pass_on(tl, way, part == &found.out ? shape : column, f32, sends);
    *part = tile.to(f32);
  }
  co_return found;
}

Task<> attention_mesh_mlo(TL& tl, AttentionMeshArgs args) {
  const std::optional<Line> line = place_in_line(tl, args);
  if (!line) co_return;
  const Scores scores{tl, args, args.ranks * args.s_kv - args.s_q};
  const std::int64_t rows_of_head = args.h_q / args.h_kv * args.s_q;
  const Slices blocks = collective::cut({.size = args.s_kv}, args.block_keys);
  const Slices parts = collective::cut({.size = rows_of_head}, args.block_rows);
  OwnKeys own{tl, args, line->rank};
  std::vector<Running> found;  // per key head and part of its rows
  InFlight sends;
  InFlight stores;

  for (std::int64_t head = 0; head < args.h_kv; ++head) {
    std::vector<Tile> q;
    for (const Slice& rows : parts) {
      const Ptr from = args.q + (head * rows_of_head + rows.first) * args.d;
      const Tile part = co_await tl.load(from, {rows.size, args.d}, args.q.dtype);
      q.push_back(part);
    }
    std::vector<Running> mine;
    for (const Slice& rows : parts) mine.push_back(over_no_keys(tl, rows.size, args.d));
    for (const Slice& block : blocks) {
      const Slice keys{line->rank * args.s_kv + block.first, block.size};
      const Tile k = co_await own.k(head, block);
      const Tile v = co_await own.v(head, block);
      for (std::size_t i = 0; i < parts.size() && scores.any(keys); ++i)
        mine[i] = attend(tl, scores.of(q[i], parts[i], k, keys), v, mine[i]);
    }
    for (const Running& part : mine) {
      for (const Dir to : line->sides()) send_all(tl, to, part, sends);
      found.push_back(part);
    }
  }
  for (int distance = 1; distance < line->size; ++distance) {
    for (Running& all : found) {
      for (const Arrival& way : line->arrivals(distance)) {
        const Running other = co_await theirs(tl, way, all.out.shape(), &sends);
        all = merge(tl, all, other);
      }
    }
  }
  Ptr to = args.o + line->rank * args.h_q * args.s_q * args.d;
  for (const Running& all : found) {
    const Tile out = all.out / all.sum;
    stores.add(tl.store(to, out.to(args.o.dtype)));
    to = to + all.out.shape().elements();
  }
  co_await all_taken(tl, &sends);
  co_await stores.done();
}
KBSIM_KERNEL(attention_mesh_mlo,
             "attention over a line of ranks: maxima, sums and outputs travel E and W "
             "(decode)");

}  // namespace
}  // namespace kbsim::attention
