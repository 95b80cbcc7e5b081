#include "box_moves.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/transform.hpp>

namespace kbsim::host::dtensor {
namespace {

namespace views = ranges::views;

std::int64_t product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies{});
}

// Adds a send of a box of the source to rank i, and a receive of a box of the result from it; for this rank a
// copy. Empty boxes are left out.
void add_pair(std::vector<TensorMove>& moves, const Passage& passage, int i, std::optional<Rows> give,
              std::optional<Rows> take) {
  const bool gives = give && !give->empty() && passage.source;
  const bool takes = take && !take->empty() && passage.result;
  const int peer = passage.world_rank(i);
  const auto from = gives ? std::optional{TensorBox{*passage.source, *give}} : std::nullopt;
  const auto to = takes ? std::optional{TensorBox{*passage.result, *take}} : std::nullopt;
  if (i == passage.self()) {
    if (gives && takes) moves.push_back({.kind = BoxMove::Kind::copy, .peer = peer, .from = from, .to = to});
    return;
  }
  if (gives) moves.push_back({.kind = BoxMove::Kind::send, .peer = peer, .from = from});
  if (takes) moves.push_back({.kind = BoxMove::Kind::receive, .peer = peer, .to = to});
}

// A range of dimension `a` of a tensor, one box per index of the dimensions before `a`. Its rows are as long
// as those of a range of the later dimension `b` in the other tensor.
std::vector<Rows> rows_by_later(const Shape& shape, int a, IndexRange range, int b) {
  const Rows whole = rows_of(shape, a, range);
  const std::int64_t cols = all_of(shape, b).cols;
  const auto box = [&](std::int64_t i) {
    return Rows{
        .first = whole.first + i * whole.stride, .rows = whole.cols / cols, .cols = cols, .stride = cols};
  };
  return views::indices(whole.rows) | views::transform(box) | ranges::to<std::vector>;
}

// The range of dimension `b`, one box per index of the dimensions before `a`.
std::vector<Rows> rows_by_earlier(const Shape& shape, int b, IndexRange range, int a) {
  const Rows whole = rows_of(shape, b, range);
  const std::int64_t blocks = all_of(shape, a).rows;
  const auto box = [&](std::int64_t i) {
    Rows rows = whole;
    rows.rows /= blocks;
    rows.first += i * rows.rows * whole.stride;
    return rows;
  };
  return views::indices(blocks) | views::transform(box) | ranges::to<std::vector>;
}

}  // namespace

Rows rows_of(const Shape& shape, int dim, IndexRange range) {
  const auto extents = shape.extents();
  const auto axis = static_cast<std::size_t>(dim);
  const std::int64_t inner = product(extents.subspan(axis + 1));
  return {.first = range.begin * inner,
          .rows = product(extents.first(axis)),
          .cols = (range.end - range.begin) * inner,
          .stride = extents[axis] * inner};
}

bool is_empty(const Shape& shape) { return product(shape.extents()) == 0; }

Rows all_of(const Shape& shape, int dim) { return rows_of(shape, dim, {0, shape[dim]}); }

std::vector<TensorMove> gather_moves(const Passage& passage, int dim) {
  std::vector<TensorMove> moves;
  for (int i = 0; i < passage.size(); ++i)
    add_pair(moves, passage, i, all_of(passage.from, dim), rows_of(passage.to, dim, passage.chunk(dim, i)));
  return moves;
}

std::vector<TensorMove> scatter_moves(const Passage& passage, int dim) {
  std::vector<TensorMove> moves;
  for (int i = 0; i < passage.size(); ++i)
    add_pair(moves, passage, i, rows_of(passage.from, dim, passage.chunk(dim, i)), all_of(passage.to, dim));
  return moves;
}

std::vector<TensorMove> scatter_from_first(const Passage& passage, int dim) {
  if (passage.self() == 0) {
    std::vector<TensorMove> moves;
    for (int i = 0; i < passage.size(); ++i) {
      const Rows give = rows_of(passage.from, dim, passage.chunk(dim, i));
      add_pair(moves, passage, i, give, i == 0 ? std::optional{all_of(passage.to, dim)} : std::nullopt);
    }
    return moves;
  }
  std::vector<TensorMove> moves;
  add_pair(moves, passage, 0, std::nullopt, all_of(passage.to, dim));
  return moves;
}

// Sender and receiver cut a message's elements into the same rows.
std::vector<TensorMove> turn_moves(const Passage& passage, int from, int to) {
  std::vector<TensorMove> moves;
  for (int i = 0; i < passage.size(); ++i) {
    const IndexRange gives = passage.chunk(to, i);
    const IndexRange takes = passage.chunk(from, i);
    const auto give = gives.begin == gives.end || is_empty(passage.from) ? std::vector<Rows>{}
                      : from < to ? rows_by_earlier(passage.from, to, gives, from)
                                  : rows_by_later(passage.from, to, gives, from);
    const auto take = takes.begin == takes.end || is_empty(passage.to) ? std::vector<Rows>{}
                      : from < to ? rows_by_later(passage.to, from, takes, to)
                                  : rows_by_earlier(passage.to, from, takes, to);
    for (std::size_t box = 0; box < std::max(give.size(), take.size()); ++box) {
      add_pair(moves, passage, i, box < give.size() ? std::optional{give[box]} : std::nullopt,
               box < take.size() ? std::optional{take[box]} : std::nullopt);
    }
  }
  return moves;
}

}  // namespace kbsim::host::dtensor
