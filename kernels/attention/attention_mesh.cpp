// Common parts of the kernels of attention over a line of ranks: places, keys, scores.
#include "kbsim/kernels/attention_mesh.hpp"

#include "kbsim/kernels/online_softmax.hpp"

namespace kbsim::attention {

std::vector<Dir> Line::sides() const {
  std::vector<Dir> sides;
  if (rank > 0) sides.push_back(Dir::W);
  if (rank + 1 < size) sides.push_back(Dir::E);
  return sides;
}

std::vector<Arrival> Line::arrivals(int distance) const {
  std::vector<Arrival> all;
  const auto on = [&](bool there, Dir to) { return there ? std::optional{to} : std::nullopt; };
  if (rank - distance >= 0)
    all.push_back({.rank = rank - distance, .from = Dir::W, .on = on(rank + 1 < size, Dir::E)});
  if (rank + distance < size)
    all.push_back({.rank = rank + distance, .from = Dir::E, .on = on(rank > 0, Dir::W)});
  return all;
}

std::optional<Line> place_in_line(TL& tl, const AttentionMeshArgs& args) {
  if (args.rank_axis == 1 && tl.program_id(0) != 0) return std::nullopt;
  const int rank = tl.program_id(args.rank_axis);
  if (rank >= args.ranks) return std::nullopt;
  tl.check(args.h_q % args.h_kv == 0, "h_q isn't a multiple of h_kv");
  return Line{.rank = rank, .size = args.ranks};
}

Task<Tile> pass_on(TL& tl, Arrival way, Shape shape, DType dtype, InFlight* sends) {
  Tile tile;
  {
    const auto range = tl.range(kWaitForNeighbour);
    tile = co_await tl.recv({.dir = way.from, .shape = shape, .dtype = dtype});
  }
  if (way.on) {
    const Tile copy = tile.to(dtype);
    sends->add(tl.send({.dir = *way.on, .src = copy}));
  }
  co_return tile;
}

Task<> all_taken(TL& tl, InFlight* sends) {
  const auto range = tl.range(kWaitForNeighbour);
  co_await sends->done();
}

OwnKeys::OwnKeys(TL& tl, const AttentionMeshArgs& args, int rank)
    : tl_{tl}, args_{args}, k_{prefetch(args.k, rank)}, v_{prefetch(args.v, rank)} {}

Task<Tile> OwnKeys::k(std::int64_t head, Slice keys) {
  const Tile flat = co_await k_.load(elements(head, keys));
  co_return tl_.reshape(flat, {keys.size, args_.d});
}

Task<Tile> OwnKeys::v(std::int64_t head, Slice keys) {
  const Tile flat = co_await v_.load(elements(head, keys));
  co_return tl_.reshape(flat, {keys.size, args_.d});
}

Slice OwnKeys::elements(std::int64_t head, const Slice& keys) const {
  return {.first = (head * args_.s_kv + keys.first) * args_.d, .size = keys.size * args_.d};
}

collective::Prefetch OwnKeys::prefetch(Ptr from, int rank) const {
  Slices order;
  for (std::int64_t head = 0; head < args_.h_kv; ++head) {
    for (const Slice& keys : collective::cut({.size = args_.s_kv}, args_.block_keys))
      order.push_back(elements(head, keys));
  }
  return {tl_, from + rank * args_.h_kv * args_.s_kv * args_.d, order, {.loads = 4}};
}

Scores::Scores(TL& tl, const AttentionMeshArgs& args, std::int64_t first_query)
    : tl_{tl}, args_{args}, first_query_{first_query} {
  tl.check(!args.causal || first_query >= 0, "causal attention has more queries than keys");
}

bool Scores::any(Slice keys) const { return !args_.causal || keys.first < first_query_ + args_.s_q; }

Tile Scores::of(const Tile& q, Slice rows, const Tile& k, Slice keys) const {
  const Tile scores = tl_.dot(q, tl_.trans(k)) * args_.scale;
  const bool all = !args_.causal || keys.first + keys.size <= first_query_ + 1;
  if (all) return scores;
  const Tile query = tl_.arange(rows.first, rows.first + rows.size) % args_.s_q + first_query_;
  const Tile key = tl_.arange(keys.first, keys.first + keys.size);
  return tl_.where(tl_.reshape(key, {1, keys.size}) <= tl_.reshape(query, {rows.size, 1}), scores, kUnseen);
}

}  // namespace kbsim::attention
