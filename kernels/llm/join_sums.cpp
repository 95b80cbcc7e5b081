// Sums of few rows: a PE multiplies all rows at once. Its sums go to the PEs whose rows they are, which add
// them.
#include <utility>

#include "kbsim/kernels/llm/block_work.hpp"

namespace kbsim::llm::blocks {
namespace {

Shape shape_of(const BlockWork& work, Part rows) { return {rows.size, work.pass.columns.size}; }

Task<Tile> sum_of(TL& tl, BlockWork work, int matrix) {
  Tile sum;
  for (std::size_t panel = 0; panel < work.x->panels().size(); ++panel) {
    co_await work.x->pass_on(static_cast<int>(panel));
    const Tile x = co_await work.x->panel(panel);
    const Tile w = co_await work.weights->get(work.number, matrix, panel);
    sum = sum.empty() ? tl.dot(x, w) : tl.dot(x, w, sum);
  }
  co_return sum.empty() ? tl.zeros(shape_of(work, {0, work.rows.all}), f32) : sum;
}

// Sums in TCM, where parts of their rows are read.
Ptr memory_of(const BlockWork& work, int matrix) {
  const ProductArgs& args = work.args;
  const Ptr x =
      args.scratch.of(args.grid, work.at) + scratch_of_rows(args.grid, args.x.rows, args.x.cols, args.chunks);
  return Ptr{.va = x.va, .dtype = f32} + matrix * work.rows.all * work.pass.columns.size;
}
Ptr rows_of(const BlockWork& work, int matrix, Part rows) {
  return memory_of(work, matrix) + rows.begin * work.pass.columns.size;
}

void send_sums(TL& tl, const BlockWork& work) {
  const int pes = work.args.grid.pes;
  for (int i = 1; i < pes; ++i) {
    const int to = (work.at.pe + i) % pes;
    for (const Part& rows : work.x->pieces(to)) {
      for (int matrix = 0; matrix < work.matrices(); ++matrix)
        work.under_way->add(tl.send({.dir = queue_to(Along::cube, to),
                                     .src = rows_of(work, matrix, rows),
                                     .shape = shape_of(work, rows)}));
    }
  }
}

// All PEs' sums of some of the own rows.
struct Arrival {
  std::vector<Pending<Tile>> sum, up;
};

std::vector<Arrival> expect_sums(TL& tl, const BlockWork& work) {
  std::vector<Arrival> arrivals;
  for (const Part& rows : work.x->pieces(work.at.pe)) {
    Arrival& of = arrivals.emplace_back();
    for (int pe = 0; pe < work.args.grid.pes; ++pe) {
      for (int matrix = 0; matrix < work.matrices(); ++matrix) {
        std::vector<Pending<Tile>>& tiles = matrix == 0 ? of.sum : of.up;
        if (pe == work.at.pe)
          tiles.push_back(tl.load(rows_of(work, matrix, rows), shape_of(work, rows), f32));
        else
          tiles.push_back(
              tl.recv({.dir = queue_to(Along::cube, pe), .shape = shape_of(work, rows), .dtype = f32}));
      }
    }
  }
  return arrivals;
}

// A tile is let go before the next one is awaited: it has a slot that the next one may need.
Task<Tile> total(std::vector<Pending<Tile>>* tiles) {
  Tile sum;
  for (Pending<Tile>& arrival : *tiles) {
    const Tile tile = co_await arrival;
    arrival = {};
    sum = sum.empty() ? tile + 0.0 : sum + tile;
  }
  co_return sum;
}

}  // namespace

Task<> join_sums(TL& tl, BlockWork work) {
  for (int matrix = 0; matrix < work.matrices(); ++matrix) {
    const Tile sum = co_await sum_of(tl, work, matrix);
    co_await tl.store(memory_of(work, matrix), sum);
  }
  send_sums(tl, work);
  std::vector<Arrival> arrivals = expect_sums(tl, work);
  const std::vector<Part> pieces = work.x->pieces(work.at.pe);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ProductSums sums;
    sums.sum = co_await total(&arrivals[i].sum);
    sums.up = co_await total(&arrivals[i].up);
    co_await finish(tl, work, pieces[i], sums);
  }
  co_await work.under_way->done();  // the memory of the sums is free for the next columns
}

}  // namespace kbsim::llm::blocks
