// Gathers of an activation: each PE has the block that it asks for.
#include "kbsim/kernels/llm/panel_gather.hpp"

#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "mock_grid.hpp"

namespace kbsim::llm::test::panel_gather_test {

struct GatherTestArgs {
  PanelGatherArgs gather;
  Scratch buffer;
  Ptr out;  // rows * columns elements for each PE
  std::int64_t stride = 0;
  bool by_panel = false;  // looks at them as they come
};

Task<> test_panel_gather(TL& tl, GatherTestArgs args) {
  const PePlace at = place_of(tl);
  const PeGrid& grid = args.gather.grid;
  args.gather.buffer = args.buffer.of(grid, at);
  PanelGather x{tl, args.gather};
  const Ptr out = args.out + (at.cube * grid.pes + at.pe) * args.stride;
  const Part wanted = args.gather.columns;
  for (std::size_t i = 0; args.by_panel && i < x.panels().size(); ++i) {
    co_await x.arrived(i);
    if (x.rows() == 0) continue;
    const Part columns = x.panels()[i].columns;
    const Tile panel = co_await x.load(i);
    const Descriptor all =
        tl.make_desc({.base = out, .shape = {x.rows(), wanted.size}, .block = {x.rows(), columns.size}});
    co_await all.store({0, columns.begin - wanted.begin}, panel);
  }
  co_await x.done();
  if (args.by_panel || x.rows() == 0) co_return;
  const Tile all = co_await x.block({0, x.rows()}, wanted);
  co_await tl.store(out, all);
}
KBSIM_KERNEL(test_panel_gather, "gathers an activation and stores what it got");

namespace {

struct GatherCase {
  PeGrid grid;
  std::int64_t m = 1, h = 1;
  Part columns;
  int chunk = 0, chunks = 1;
  std::int64_t widest = 0;
  bool by_panel = false;
};

Numbers expected(const GatherCase& c, const Numbers& x) {
  const ChunkRows rows = chunk_rows(c.grid, c.m, c.chunk, c.chunks);
  Numbers all;
  for (int from = 0; from < c.grid.pes; ++from) {
    const Part part = part_of(c.m, from, c.grid.pes);
    const Part within = rows.within(from);
    for (std::int64_t row = part.begin + within.begin; row < part.begin + within.end(); ++row) {
      for (std::int64_t col = c.columns.begin; col < c.columns.end(); ++col)
        all.push_back(x[static_cast<std::size_t>(row * c.h + col)]);
    }
  }
  return all;
}

void check_gather(const GatherCase& c, int slots) {
  MockGrid on{c.grid, slots};
  const Array x = normal(c.m * c.h, f16, 7);
  const std::int64_t stride = c.m * c.columns.size;
  const GatherTestArgs args{.gather = {.grid = c.grid,
                                       .from = on.activation(x, c.m, c.h),
                                       .columns = c.columns,
                                       .chunk = c.chunk,
                                       .chunks = c.chunks,
                                       .widest = c.widest},
                            .buffer = on.scratch(stride, f16),
                            .out = on.empty(stride * c.grid.all(), f16),
                            .stride = stride,
                            .by_panel = c.by_panel};
  on.run("test_panel_gather", args);
  for (int i = 0; i < c.grid.all(); ++i) {
    const Numbers want = expected(c, x.numbers);
    CHECK(on.read(args.out + i * stride, static_cast<std::int64_t>(want.size())) == want);
  }
}

}  // namespace

TEST_CASE("PanelGather: all rows and columns on all PEs, of random grids and shapes") {
  std::mt19937 random{3};
  for (int round = 0; round < 60; ++round) {
    GatherCase c{.grid = random_grid(random), .m = between(random, 1, 40), .h = between(random, 1, 30)};
    c.columns.begin = between(random, 0, 1) * between(random, 0, c.h - 1);
    c.columns.size = between(random, 1, c.h - c.columns.begin);
    c.chunks = static_cast<int>(between(random, 1, 3));
    c.chunk = static_cast<int>(between(random, 0, c.chunks - 1));
    c.widest = between(random, 0, 5);
    c.by_panel = round % 2 == 0;
    CAPTURE(round);
    check_gather(c, static_cast<int>(between(random, 1, 3)));
  }
}

TEST_CASE("PanelGather: many rows go from cube to cube, few to all at once, to the same end") {
  for (const auto& [w, h] : {std::pair{4, 1}, {1, 4}, {3, 3}, {4, 2}}) {
    CAPTURE(w);
    CAPTURE(h);
    const PeGrid grid{.w = w, .h = h, .pes = 2, .slot_bytes = 512};
    check_gather({.grid = grid, .m = 301, .h = 70, .columns = {0, 70}, .widest = 4}, 1);
    check_gather({.grid = grid, .m = 400, .h = 90, .columns = {3, 80}}, 1);
    check_gather({.grid = grid, .m = 301, .h = 70, .columns = {0, 70}, .by_panel = true}, 2);
  }
}

}  // namespace kbsim::llm::test::panel_gather_test
