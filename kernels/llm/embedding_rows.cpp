// Looks up a row of a table for each id, on all PEs of a package: each its columns of its rows.
#include <algorithm>
#include <vector>

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/pe_exchange.hpp"
#include "kbsim/kernels/llm/vocabulary.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm::lookups {
namespace {

constexpr std::int64_t kMostRows = 64;  // at once, and so many elements
constexpr std::int64_t kMostElements = 32768;

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

// Some rows' rows of the table of positions, under way from its making on: consecutive ones are one load.
class PositionRows {
 public:
  PositionRows(TL& tl, const EmbeddingRowsArgs& args, Part columns, Part rows) : tl_{tl} {
    if (args.places == nullptr) return;
    const auto place = [&](std::int64_t row) { return args.places->at(static_cast<std::size_t>(row)); };
    const Ptr own = args.positions + columns.begin * args.position_rows;
    for (std::int64_t row = rows.begin; row < rows.end();) {
      std::int64_t next = row + 1;
      while (next < rows.end() && place(next) == place(row) + (next - row)) ++next;
      const Shape shape{next - row, columns.size};
      loads_.push_back(tl.load(own + place(row) * columns.size, shape, own.dtype));
      row = next;
    }
  }
  /// [rows, columns]; empty without positions.
  [[nodiscard]] Task<Tile> tile() {
    Tile all;
    for (Pending<Tile>& load : loads_) {
      const Tile rows = co_await load;
      all = all.empty() ? rows : tl_.cat(all, rows, {.axis = 0});
    }
    co_return all;
  }

 private:
  TL& tl_;
  std::vector<Pending<Tile>> loads_;
};

Tile sum_of(const EmbeddingRowsArgs& args, const Tile& found, const Tile& positions) {
  if (args.multiplier == 1.0 && positions.empty()) return found.to(args.y.base.dtype);
  Tile sum = found.to(f32);
  if (args.multiplier != 1.0) sum = sum * args.multiplier;
  if (!positions.empty()) sum = sum + positions.to(f32);
  return sum.to(args.y.base.dtype);
}

// Rows that are known without numbers, each by a load of its own.
Task<> store_drawn(TL& tl, EmbeddingRowsArgs args, Part columns, Part rows, Ptr to) {
  std::vector<Pending<Tile>> loads;
  std::vector<PositionRows> positions;
  for (std::int64_t row = rows.begin; row < rows.end(); ++row) {
    const Ptr from = args.table + drawn_id(args, row) * args.y.cols + columns.begin;
    loads.push_back(tl.load(from, {1, columns.size}, args.table.dtype));
    positions.emplace_back(tl, args, columns, Part{row, 1});
  }
  std::vector<Pending<void>> stores;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const Tile found = co_await loads[i];
    const Tile places = co_await positions[i].tile();
    stores.push_back(tl.store(to, sum_of(args, found, places)));
    to = to + columns.size;
  }
  for (Pending<void>& store : stores) co_await store;
}

Task<> embedding_rows(TL& tl, EmbeddingRowsArgs args) {
  const PePlace at = place_of(tl);
  const Part columns = args.y.columns_of(args.grid, at.cube);
  const Part own = args.y.rows_of(args.grid, at.pe);
  if (columns.size == 0) co_return;
  const std::int64_t most = std::clamp<std::int64_t>(kMostElements / columns.size, 1, kMostRows);
  for (const Part rows : cut_evenly(own, most)) {
    const Tile ids = co_await tl.load(args.ids + rows.begin, {rows.size}, args.ids.dtype);
    const Ptr to = args.y.part(args.grid, at) + (rows.begin - own.begin) * columns.size;
    if (args.drawn) {
      co_await store_drawn(tl, args, columns, rows, to);
      continue;
    }
    tl.check_all((ids >= 0) & (ids < args.vocabulary), "index out of range in self");
    PositionRows positions{tl, args, columns, rows};
    const Tile found = co_await look_up(tl, args, columns, ids);
    const Tile places = co_await positions.tile();
    co_await tl.store(to, sum_of(args, found, places));
  }
}
KBSIM_KERNEL(embedding_rows, "rows of a table that ids name, on all PEs of a package");

}  // namespace
}  // namespace kbsim::llm::lookups
