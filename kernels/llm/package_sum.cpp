// Sums over packages inside a product: a reduce-scatter and an all-gather between the same PEs of all
// packages.
#include "kbsim/kernels/llm/package_sum.hpp"

#include <algorithm>

#include "kbsim/kernels/llm/chunk_rows.hpp"

namespace kbsim::llm {

PackageSum::PackageSum(TL& tl, const ProductArgs& args, PePlace at)
    : tl_{tl}, args_{args}, at_{at}, y_{args.y.part(args.grid, at)} {}

// This PE's rows of a chunk, which lie one after the other in its part of y.
Part PackageSum::elements_of(int chunk) const {
  const Part rows = chunk_rows(args_.grid, args_.y.rows, chunk, args_.chunks).within(at_.pe);
  const std::int64_t columns = args_.y.columns_of(args_.grid, at_.cube).size;
  return {rows.begin * columns, rows.size * columns};
}

// The elements of a chunk that a package adds up, in messages.
std::vector<Part> PackageSum::pieces_of(int chunk, int package) const {
  const std::int64_t slot = std::max<std::int64_t>(args_.grid.slot_bytes / itemsize(y_.dtype), 1);
  return cut_evenly(part_of(elements_of(chunk), package, args_.over.packages), slot);
}

void PackageSum::send_parts(int chunk) {
  for (int i = 1; i < args_.over.packages; ++i) {
    const int to = (args_.over.own + i) % args_.over.packages;
    for (const Part& piece : pieces_of(chunk, to))
      sends_.push_back(
          tl_.send({.dir = args_.over.queue_to(to), .src = at(piece), .shape = {1, piece.size}}));
  }
}

// In the order of the packages, so that the sum doesn't depend on times.
Task<Tile> PackageSum::sum_of(Part piece) {
  std::vector<Pending<Tile>> parts;
  const Shape shape{1, piece.size};
  for (int package = 0; package < args_.over.packages; ++package) {
    if (package == args_.over.own)
      parts.push_back(tl_.load(at(piece), shape, y_.dtype));
    else
      parts.push_back(tl_.recv({.dir = args_.over.queue_to(package), .shape = shape, .dtype = y_.dtype}));
  }
  Tile sum;
  for (Pending<Tile>& part : parts) {
    const Tile tile = co_await part;
    part = {};
    sum = sum.empty() ? tile.to(f32) : sum + tile.to(f32);
  }
  co_return sum.to(y_.dtype);
}

Task<> PackageSum::add_parts(int chunk) {
  for (const Part& piece : pieces_of(chunk, args_.over.own)) {
    const Tile sum = co_await sum_of(piece);
    for (int i = 1; i < args_.over.packages; ++i) {
      const int to = (args_.over.own + i) % args_.over.packages;
      sends_.push_back(tl_.send({.dir = args_.over.queue_to(to), .src = sum}));
    }
    co_await tl_.store(at(piece), sum);
  }
}

Task<> PackageSum::store_sums(int chunk) {
  for (int i = 1; i < args_.over.packages; ++i) {
    const int from = (args_.over.own + i) % args_.over.packages;
    for (const Part& piece : pieces_of(chunk, from)) {
      const Tile sum =
          co_await tl_.recv({.dir = args_.over.queue_to(from), .shape = {1, piece.size}, .dtype = y_.dtype});
      co_await tl_.store(at(piece), sum);
    }
  }
}

Task<> PackageSum::add_chunk() {
  if (args_.over.packages == 1) co_return;
  while (next_ != Step::none) co_await advance();
  send_parts(++chunk_);
  next_ = Step::add;
}

Task<> PackageSum::advance() {
  if (next_ == Step::add) {
    co_await add_parts(chunk_);
    next_ = Step::store;
  } else if (next_ == Step::store) {
    co_await store_sums(chunk_);
    next_ = Step::none;
  }
}

Task<> PackageSum::done() {
  while (next_ != Step::none) co_await advance();
  for (Pending<void>& sent : sends_) co_await sent;
}

}  // namespace kbsim::llm
