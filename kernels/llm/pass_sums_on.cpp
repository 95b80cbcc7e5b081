// Sums that go round a cube. Each turn a PE has another group of rows; the group of its own rows comes last.
#include "kbsim/kernels/llm/block_work.hpp"

namespace kbsim::llm::blocks {
namespace {

// A piece of a group's rows, one turn before the next PE has it.
struct Piece {
  int turn = 0;
  std::size_t number = 0;
  Part rows;
};

Dir neighbour(const BlockWork& work, int step) {
  const int pes = work.args.grid.pes;
  return queue_to(Along::cube, (work.at.pe + pes + step) % pes);
}

// The sums of w or up, from the PE before this one, and this PE's product.
Task<Tile> sum_of(TL& tl, BlockWork work, Piece piece, int matrix) {
  const Shape shape{piece.rows.size, work.pass.columns.size};
  Tile sum;
  if (piece.turn > 0) sum = co_await tl.recv({.dir = neighbour(work, -1), .shape = shape, .dtype = f32});
  for (std::size_t panel = 0; panel < work.x->panels().size(); ++panel) {
    const Tile w = co_await work.weights->get(work.number, matrix, panel);
    const Tile& x = work.x->block(piece.turn, piece.number, panel);
    sum = sum.empty() ? tl.dot(x, w) : tl.dot(x, w, sum);
  }
  co_return sum.empty() ? tl.zeros(shape, f32) : sum;
}

Task<> multiply(TL& tl, BlockWork work, Piece piece) {
  const bool last = piece.turn == work.args.grid.pes - 1;
  ProductSums sums;
  for (int matrix = 0; matrix < work.matrices(); ++matrix) {
    Tile& sum = matrix == 0 ? sums.sum : sums.up;
    sum = co_await sum_of(tl, work, piece, matrix);
    if (!last) work.under_way->add(tl.send({.dir = neighbour(work, 1), .src = sum}));
  }
  if (last) co_await finish(tl, work, piece.rows, sums);
}

}  // namespace

// While the engine multiplies, rows of the next turn go on to other cubes.
Task<> pass_sums_on(TL& tl, BlockWork work) {
  const int turns = work.args.grid.pes;
  for (int turn = 0; turn < turns; ++turn) {
    if (turn == 0) co_await work.x->pass_on(0);
    if (turn == turns / 2) co_await work.over->advance();
    std::size_t number = 0;
    for (const Part& rows : work.x->pieces(work.x->group(turn)))
      co_await multiply(tl, work, {turn, number++, rows});
    if (turn + 1 < turns) co_await work.x->pass_on(turn + 1);
    co_await work.under_way->end_step();
  }
}

}  // namespace kbsim::llm::blocks
