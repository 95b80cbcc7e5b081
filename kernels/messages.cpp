#include "kbsim/kernels/messages.hpp"

#include <algorithm>

#include "kbsim/tl/small_tcm.hpp"

namespace kbsim::collective {
namespace {

// Some operations of two bf16 give f32: the vector stays what it is.
Tile narrowed(const Tile& tile, DType dtype) { return tile.dtype() == dtype ? tile : tile.to(dtype); }

std::int64_t index_of(TL& tl, const CollectiveArgs& args) {
  return std::int64_t{tl.program_id(1)} * args.pes + tl.program_id(0);
}

}  // namespace

Part part_of(Part whole, int index, int count) {
  const std::int64_t least = whole.size / count;
  const std::int64_t larger = whole.size % count;
  const auto start = [&](std::int64_t i) { return i * least + std::min(i, larger); };
  return {.first = whole.first + start(index), .size = start(index + 1) - start(index)};
}

Messages cut(Part whole, std::int64_t most) {
  if (whole.size == 0) return {};
  Messages messages;
  const auto count = most > 0 ? static_cast<int>((whole.size + most - 1) / most) : 1;
  for (int i = 0; i < count; ++i) messages.push_back(part_of(whole, i, count));
  return messages;
}

std::int64_t Room::window(std::int64_t held, std::int64_t of) const {
  if (whole == 0) return 0;
  const std::int64_t window = whole * of / held;
  if (window == 0) refuse_small_tcm(tcm, tcm - whole + (held + of - 1) / of);
  return window;
}

Room room_of(const CollectiveArgs& args, int sources) {
  constexpr std::int64_t kAhead = 16;    // loads, as far as half of the TCM has room for them
  constexpr std::int64_t kAtOnce = 7;    // messages that are received, combined, rounded and finished
  constexpr std::int64_t kShare = 16;    // of the TCM is a message at most
  constexpr std::int64_t kRounding = 8;  // elements that parts of chunks are larger than others
  const std::int64_t tcm = args.tcm_elems;
  if (tcm == 0) return {.message = args.slot_elems, .ahead = kAhead};
  const std::int64_t most = std::max<std::int64_t>(tcm / kShare, 1);
  const std::int64_t message = args.slot_elems > 0 ? std::min(args.slot_elems, most) : most;
  const std::int64_t fit = (tcm / 2 / message - kAtOnce) / sources;
  const std::int64_t ahead = std::clamp<std::int64_t>(fit, 1, kAhead);
  const std::int64_t on_their_way = (sources * ahead + kAtOnce) * message + kRounding;
  if (tcm <= on_their_way) refuse_small_tcm(tcm, on_their_way + 1);
  return {
      .message = message, .ahead = static_cast<std::size_t>(ahead), .whole = tcm - on_their_way, .tcm = tcm};
}

Ptr own_data(TL& tl, const CollectiveArgs& args) { return args.data + index_of(tl, args) * args.n_elem; }

Ptr own_out(TL& tl, const CollectiveArgs& args, std::int64_t out_elems) {
  return args.out + index_of(tl, args) * out_elems;
}

Tile combine(TL& tl, Reduction op, const Tile& a, const Tile& b) {
  switch (op) {
    case Reduction::sum:
    case Reduction::avg: return narrowed(a + b, a.dtype());
    case Reduction::max: return narrowed(tl.maximum(a, b), a.dtype());
    case Reduction::min: return narrowed(tl.minimum(a, b), a.dtype());
    case Reduction::prod: return narrowed(a * b, a.dtype());
  }
  return {};
}

Tile finish(Reduction op, const Tile& combined, int parts) {
  if (op != Reduction::avg) return combined;
  return narrowed(combined / static_cast<double>(parts), combined.dtype());
}

Source::Source(TL& tl, Ptr from, Messages order, const Room& room)
    : tl_{tl},
      from_{from},
      order_{std::move(order)},
      most_{room.ahead},
      ahead_{std::min(kAtFirst, room.ahead)} {}

Source::Source(TL& tl, const Tiles& order) : tl_{tl}, tiles_{order.begin(), order.end()} {}

Task<Tile> Source::next() {
  if (!tiles_.empty()) {
    Tile tile = std::move(tiles_.front());
    tiles_.pop_front();
    co_return tile;
  }
  while (begun_ < order_.size() && under_way_.size() < ahead_) {
    const Part& message = order_[begun_++];
    under_way_.push_back(tl_.load(from_ + message.first, {message.size}, from_.dtype));
  }
  ahead_ = std::min(ahead_ + 1, most_);
  Pending<Tile> first = std::move(under_way_.front());
  under_way_.pop_front();
  Tile tile = co_await first;
  co_return tile;
}

void Sink::put(const Part& message, const Tile& tile) {
  if (keeps()) {
    kept_[message.first] = tile;
  } else {
    stores_.add(tl_->store(to_ + message.first, tile));
  }
}

Tiles Sink::kept() const {
  Tiles tiles;
  for (const auto& [first, tile] : kept_) tiles.push_back(tile);
  return tiles;
}

Task<Tiles> load_all(TL& tl, Ptr from, Messages messages, Room room) {
  Source loads{tl, from, messages, room};
  Tiles tiles;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Tile tile = co_await loads.next();
    tiles.push_back(std::move(tile));
  }
  co_return tiles;
}

Task<> store_all(TL& tl, Ptr to, Messages messages, Tiles tiles) {
  Begun stores;
  for (std::size_t i = 0; i < messages.size(); ++i) stores.add(tl.store(to + messages[i].first, tiles[i]));
  co_await stores.done();
}

Task<> Begun::step() {
  for (Pending<void>& begun : before_) co_await begun;
  before_.clear();
  std::swap(before_, begun_);
}

Task<> Begun::done() {
  co_await step();
  co_await step();
}

}  // namespace kbsim::collective
