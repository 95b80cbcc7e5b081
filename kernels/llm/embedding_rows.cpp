// Looks up a row of a table for each id, on all PEs of a package: each its columns of its rows.
#include <vector>

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/pe_exchange.hpp"
#include "kbsim/kernels/llm/vocabulary.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm::lookups {
namespace {

constexpr std::int64_t kMostRows = 64;  // at once

// The columns of these rows. Where the cubes' columns are equally many, a row of the table is a whole number
// of such parts, and an id names one of them; else the elements are named one by one.
Pending<Tile> look_up(TL& tl, const EmbeddingRowsArgs& args, Part columns, const Tile& ids) {
  const Ptr first = args.table + columns.begin;
  const std::int64_t cols = args.y.cols;
  if (cols % columns.size == 0) return tl.gather(first, ids * (cols / columns.size), {.row = columns.size});
  const Tile starts = tl.unsqueeze(ids.to(i64) * cols, 1);
  return tl.gather(first, starts + tl.arange(0, columns.size).to(i64));
}

// The step of SplitMix64: equal on all PEs and compilers.
std::int64_t drawn_id(const EmbeddingRowsArgs& args, std::int64_t row) {
  std::uint64_t z = args.seed + static_cast<std::uint64_t>(row + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<std::int64_t>((z ^ (z >> 31U)) % static_cast<std::uint64_t>(args.vocabulary));
}

// Rows that are known without numbers, each by a load of its own.
Task<> store_drawn(TL& tl, EmbeddingRowsArgs args, Part columns, Part rows, Ptr to) {
  std::vector<Pending<Tile>> loads;
  for (std::int64_t row = rows.begin; row < rows.end(); ++row) {
    const Ptr from = args.table + drawn_id(args, row) * args.y.cols + columns.begin;
    loads.push_back(tl.load(from, {columns.size}, args.table.dtype));
  }
  std::vector<Pending<void>> stores;
  for (Pending<Tile>& load : loads) {
    const Tile found = co_await load;
    stores.push_back(tl.store(to, found.to(to.dtype)));
    to = to + columns.size;
  }
  for (Pending<void>& store : stores) co_await store;
}

Task<> embedding_rows(TL& tl, EmbeddingRowsArgs args) {
  const PePlace at = place_of(tl);
  const Part columns = args.y.columns_of(args.grid, at.cube);
  const Part own = args.y.rows_of(args.grid, at.pe);
  if (columns.size == 0) co_return;
  for (const Part rows : cut_evenly(own, kMostRows)) {
    const Tile ids = co_await tl.load(args.ids + rows.begin, {rows.size}, args.ids.dtype);
    const Ptr to = args.y.part(args.grid, at) + (rows.begin - own.begin) * columns.size;
    if (args.drawn) {
      co_await store_drawn(tl, args, columns, rows, to);
      continue;
    }
    tl.check_all((ids >= 0) & (ids < args.vocabulary), "index out of range in self");
    const Tile found = co_await look_up(tl, args, columns, ids);
    co_await tl.store(to, found.to(to.dtype));
  }
}
KBSIM_KERNEL(embedding_rows, "rows of a table that ids name, on all PEs of a package");

}  // namespace
}  // namespace kbsim::llm::lookups
