// The results of a head's splits become one: largest scores, sums and outputs travel up a binomial tree.
#include "kbsim/kernels/llm/split_tree.hpp"

#include <array>
#include <bit>
#include <string>

#include "kbsim/kernels/llm/pe_exchange.hpp"

namespace kbsim::llm {
namespace {

using attention::Running;
using collective::InFlight;

template <std::size_t... Bit>
std::array<Dir, sizeof...(Bit)> by_bit(const std::string& label, std::index_sequence<Bit...> /*bits*/) {
  return {Dir{std::string_view{label + std::to_string(Bit)}}...};
}

// The queue to a PE whose number differs by 2^bit.
Dir far_queue(bool up, int bit) {
  using Bits = std::make_index_sequence<24>;
  static const std::array kUp = by_bit("up", Bits{});
  static const std::array kDown = by_bit("down", Bits{});
  return (up ? kUp : kDown).at(static_cast<std::size_t>(bit));
}

Dir queue_between(const PeGrid& grid, std::int64_t from, std::int64_t to) {
  const auto pe = static_cast<int>(to % grid.pes);
  const auto cube = static_cast<int>(to / grid.pes);
  const auto own = static_cast<int>(from / grid.pes);
  if (cube == own) return queue_to(Along::cube, pe);
  if (from % grid.pes == pe && cube / grid.w == own / grid.w) return queue_to(Along::row, cube % grid.w);
  if (from % grid.pes == pe && cube % grid.w == own % grid.w) return queue_to(Along::column, cube / grid.w);
  const std::int64_t distance = std::abs(to - from);
  return far_queue(to > from, std::countr_zero(static_cast<std::uint64_t>(distance)));
}

// As few equal parts of rows as fit a slot each.
std::int64_t messages_of(TL& tl, const PeGrid& grid, const Tile& out) {
  const std::int64_t rows = out.shape()[0];
  const std::int64_t row_bytes = out.shape()[1] * itemsize(out.dtype());
  tl.check(row_bytes <= grid.slot_bytes, "a row of a head's output doesn't fit a slot of the queues");
  std::int64_t parts = 1;
  while (rows % parts != 0 || rows / parts * row_bytes > grid.slot_bytes) ++parts;
  return parts;
}

// One of equal parts of a tile's rows: all others times 0, then the sum of all parts.
Tile rows_of(TL& tl, const Tile& tile, std::int64_t part, std::int64_t parts) {
  const std::int64_t rows = tile.shape()[0] / parts;
  const Tile all = tl.reshape(tile, {parts, rows, tile.shape()[1]});
  const Tile own = tl.reshape(tl.eq(tl.arange(0, parts), part), {parts, 1, 1});
  return tl.sum(tl.where(own, all, 0.0), {.axis = 0});
}

void send(TL& tl, const PeGrid& grid, Dir to, const Running& found, InFlight* sends) {
  sends->add(tl.send({.dir = to, .src = found.largest}));
  sends->add(tl.send({.dir = to, .src = found.sum}));
  const std::int64_t parts = messages_of(tl, grid, found.out);
  if (parts == 1) return sends->add(tl.send({.dir = to, .src = found.out}));
  for (std::int64_t part = 0; part < parts; ++part) {
    const Tile rows = rows_of(tl, found.out, part, parts);
    sends->add(tl.send({.dir = to, .src = rows}));
  }
}

// A tile is let go as soon as it was used, so that one slot is enough.
Task<Running> merged(TL& tl, PeGrid grid, Dir from, Running own) {
  const Shape column = own.sum.shape();
  auto coming = tl.recv({.dir = from, .shape = column, .dtype = f32});
  Tile theirs = co_await coming;
  coming = {};
  const Tile largest = tl.maximum(own.largest, theirs);
  const Tile fade = tl.exp(own.largest - largest);
  const Tile their_fade = tl.exp(theirs - largest);
  coming = tl.recv({.dir = from, .shape = column, .dtype = f32});
  theirs = {};
  theirs = co_await coming;
  const Tile sum = tl.fma(theirs, their_fade, own.sum * fade);
  const std::int64_t parts = messages_of(tl, grid, own.out);
  const Shape rows{own.out.shape()[0] / parts, own.out.shape()[1]};
  Tile out;
  for (std::int64_t part = 0; part < parts; ++part) {
    coming = tl.recv({.dir = from, .shape = rows, .dtype = f32});
    theirs = {};
    theirs = co_await coming;
    const Tile rows_of_out = parts == 1 ? theirs : theirs.to(f32);
    out = out.empty() ? rows_of_out : tl.cat(out, rows_of_out, {.axis = 0});
  }
  co_return Running{.largest = largest, .sum = sum, .out = tl.fma(out, their_fade, own.out * fade)};
}

}  // namespace

std::int64_t Splits::roots() const {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count)));
}

Splits splits_at(const KvCache& cache, PePlace at) {
  const std::int64_t pe = std::int64_t{at.cube} * cache.grid.pes + at.pe;
  const std::int64_t own = cache.split_of(pe);
  return {.grid = cache.grid, .first = pe - own, .count = cache.splits(), .own = own};
}

Combination::Combination(Splits splits, Running own, std::int64_t root)
    : splits_{splits}, own_{std::move(own)}, root_{root}, bit_{splits.roots() == splits.count ? 1 : 0} {}

Task<> Combination::step(TL& tl, InFlight* sends) {
  const auto range = tl.range("combine");
  const std::int64_t roots = splits_.roots();
  if (bit_ == 0) {
    bit_ = 1;
    if (splits_.own >= roots) {
      co_await meet(tl, splits_.own - roots, true, sends);
    } else if (splits_.own + roots < splits_.count) {
      co_await meet(tl, splits_.own + roots, false, sends);
    }
    co_return;
  }
  const std::int64_t bit = bit_;
  bit_ *= 2;
  co_await meet(tl, splits_.own ^ bit, ((splits_.own ^ root_) & bit) != 0, sends);
}

Task<> Combination::meet(TL& tl, std::int64_t partner, bool sends_own, InFlight* sends) {
  const std::int64_t first = splits_.first;
  const Dir queue = queue_between(splits_.grid, first + splits_.own, first + partner);
  if (sends_own) {
    send(tl, splits_.grid, queue, own_, sends);
    own_ = {};
    sent_ = true;
    co_return;
  }
  own_ = co_await merged(tl, splits_.grid, queue, own_);
}

}  // namespace kbsim::llm
