// Some rows of an activation as one of their own. Rows change PEs within each cube.
#include <algorithm>
#include <vector>

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/pe_exchange.hpp"
#include "kbsim/kernels/llm/vocabulary.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm::choice {
namespace {

// A row's PE and its place among that PE's rows.
struct RowPlace {
  int pe = 0;
  std::int64_t row = 0;
};
RowPlace place_of_row(const PeGrid& grid, const Activation& of, std::int64_t row) {
  for (int pe = 0; pe < grid.pes; ++pe) {
    const Part rows = of.rows_of(grid, pe);
    if (row < rows.end()) return {pe, row - rows.begin};
  }
  return {};
}

Task<> take_rows(TL& tl, TakeRowsArgs args) {
  const PePlace at = place_of(tl);
  const std::int64_t cols = args.x.columns_of(args.grid, at.cube).size;
  const std::int64_t slot = std::max<std::int64_t>(args.grid.slot_bytes / itemsize(args.x.base.dtype), 1);
  const DType dtype = args.x.base.dtype;
  std::vector<Pending<void>> sent;
  std::vector<Pending<Tile>> received;
  for (std::int64_t i = 0; i < args.y.rows && cols > 0; ++i) {
    const RowPlace from = place_of_row(args.grid, args.x, args.rows[static_cast<std::size_t>(i)]);
    const RowPlace to = place_of_row(args.grid, args.y, i);
    const Ptr source = args.x.part(args.grid, at) + from.row * cols;
    const Ptr target = args.y.part(args.grid, at) + to.row * cols;
    if (from.pe == at.pe && to.pe == at.pe) sent.push_back(tl.copy(target, source, {cols}));
    if (from.pe == to.pe) continue;
    for (const Part& part : cut_evenly({0, cols}, slot)) {
      const Shape shape{part.size};
      if (from.pe == at.pe) {
        sent.push_back(
            tl.send({.dir = queue_to(Along::cube, to.pe), .src = source + part.begin, .shape = shape}));
      } else if (to.pe == at.pe) {
        received.push_back(tl.recv({.dir = queue_to(Along::cube, from.pe),
                                    .shape = shape,
                                    .dtype = dtype,
                                    .dst = target + part.begin}));
      }
    }
  }
  for (Pending<Tile>& row : received) co_await row;
  for (Pending<void>& row : sent) co_await row;
}
KBSIM_KERNEL(take_rows, "some rows of an activation on all PEs of a package, as one of their own");

}  // namespace
}  // namespace kbsim::llm::choice
