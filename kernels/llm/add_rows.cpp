// An activation added to another, on all PEs of a package: each its own part.
#include "kbsim/kernels/llm/add_rows.hpp"

#include <vector>

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/pe_exchange.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm::sums {
namespace {

constexpr std::int64_t kMostElements = 32768;  // at once

Task<> add_rows(TL& tl, AddRowsArgs args) {
  const PePlace at = place_of(tl);
  const std::int64_t rows = args.x.rows_of(args.grid, at.pe).size;
  const std::int64_t columns = args.x.columns_of(args.grid, at.cube).size;
  Pending<void> stored;
  for (const Part part : cut_evenly({0, rows * columns}, kMostElements)) {
    const Ptr to = args.x.part(args.grid, at) + part.begin;
    Pending<Tile> own = tl.load(to, {part.size}, to.dtype);
    const Ptr from = args.more.part(args.grid, at) + part.begin;
    const Tile more = co_await tl.load(from, {part.size}, from.dtype);
    const Tile x = co_await own;
    co_await stored;
    stored = tl.store(to, (x.to(f32) + more.to(f32)).to(to.dtype));
  }
  co_await stored;
}
KBSIM_KERNEL(add_rows, "one activation added to another, on all PEs of a package");

}  // namespace
}  // namespace kbsim::llm::sums
